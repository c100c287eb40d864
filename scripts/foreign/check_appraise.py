#!/usr/bin/env python3
"""Imports batches that annotate exports with Appraise's own models, and lets annotate read the scores that they export.

    check_appraise.py ANNOTATE EXPORT.zip…

ANNOTATE is the program. Each EXPORT.zip is from `annotate export --format appraise`. The folder of Appraise (commit 054e27c) must be in
PYTHONPATH, with Django 3.2. The database is SQLite in memory. The script enters the exported ratings as annotators would, exports them as
the command ExportSystemScoresToCSV does, and compares what annotate reads from them with its own ratings. A browser is not part of this.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import django
from django.conf import settings

media = tempfile.mkdtemp()
settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "EvalData", "Campaign"], MEDIA_ROOT=media, USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, DEFAULT_AUTO_FIELD="django.db.models.AutoField")
django.setup()
from django.core.management import call_command  # noqa: E402

call_command("migrate", run_syncdb=True, verbosity=0)
from Campaign.models import Campaign, CampaignData  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.files.base import ContentFile  # noqa: E402
from EvalData.models import DirectAssessmentDocumentResult as Result  # noqa: E402
from EvalData.models import DirectAssessmentDocumentTask as Task  # noqa: E402
from EvalData.models import Market, Metadata  # noqa: E402

annotate, problems = os.path.abspath(sys.argv[1]), []


def check(what, theirs, ours):
    if theirs != ours:
        problems.append(f"{what}: Appraise {theirs!r}, annotate {ours!r}")


def ratings(files, protocol):
    out = os.path.join(media, "ratings.jsonl")
    run = subprocess.run([annotate, "convert", "--to", "ratings", "--protocol", protocol, *files, out], capture_output=True, text=True)
    if run.returncode != 0:
        problems.append(f"annotate refuses {files}: {run.stderr.strip()}")
        return {}
    with open(out, encoding="utf-8") as f:
        found = {(r["annotator"], r["doc_id"], r["segment_id"], r["system"]): (
            r["scores"], [(s["start"], s["end"], s["text"], s["severity"], s.get("category"), s.get("subcategory")) for s in r["spans"]],
            r.get("submitted_at"), r.get("seconds")) for r in map(json.loads, f)}
    os.remove(out)
    return found


for path in sys.argv[2:]:
    archive = zipfile.ZipFile(path)
    batches, manifest = json.loads(archive.read("batches.json")), json.loads(archive.read("manifest.json"))
    name = os.path.basename(path)
    check(f"{name}: sizes of batches", [100] * len(batches), [len(b["items"]) for b in batches])
    lead = User.objects.create_user("lead-" + name)
    source, target = manifest["TASKS_TO_ANNOTATORS"][0][:2]
    market, _ = Market.objects.get_or_create(sourceLanguageCode=source, targetLanguageCode=target, domainName=name[:50], createdBy=lead)
    meta = Metadata.objects.create(market=market, corpusName=name, versionInfo="1.0", source="official", createdBy=lead)
    campaign = Campaign.objects.create(campaignName=manifest["CAMPAIGN_NAME"], createdBy=lead, campaignOptions=manifest["TASK_OPTIONS"])
    data = CampaignData(market=market, metadata=meta, createdBy=lead)
    data.dataFile.save(name + ".json", ContentFile(archive.read("batches.json")), save=False)
    data.save()
    Task.import_from_json(campaign, lead, data, 0)
    tasks = {t.batchNo: t for t in Task.objects.filter(campaign=campaign)}
    check(f"{name}: batches", len(tasks), len(batches))
    for task in tasks.values():
        for item in task.items.all():
            try:  # the lengths, which PostgreSQL enforces
                item.clean_fields()
            except django.core.exceptions.ValidationError as e:
                problems.append(f"{name}: item {item.itemID}: {e}")
    first = tasks[min(tasks)].next_document_for_user_mqmesa(lead)
    check(f"{name}: first document", [i.targetText for i in first[3]], [
        i["targetText"] for i in batches[0]["items"] if (i["documentID"], i["targetID"]) == (batches[0]["items"][0]["documentID"], batches[0]["items"][0]["targetID"])])

    rows = list(csv.reader(archive.read("scores.csv").decode().splitlines()))
    users = {}
    for row in rows:
        user = users.setdefault(row[0], User.objects.get_or_create(username=row[0])[0])
        task = tasks[int(row[12])]
        item = task.items.get(itemID=int(row[2]), documentID=row[7], targetID=row[1])
        # The browser sends JSON.stringify, and its slider has whole numbers.
        Result.objects.create(score=round(float(row[6])), mqm=json.dumps(json.loads(row[9]), separators=(",", ":"), ensure_ascii=False),
                              start_time=float(row[10]), end_time=float(row[11]), item=item, task=task, createdBy=user, completed=True)
    protocol = "mqm" if manifest["TASK_OPTIONS"] == "MQM" else "esa"
    files = os.path.join(media, "batches.json"), os.path.join(media, "scores.csv")
    with open(files[0], "wb") as f:
        f.write(archive.read("batches.json"))
    ours = ratings([os.path.abspath(path)], protocol)
    if rows:
        for batch_info in False, True:
            with open(files[1], "w", newline="") as f:
                writer = csv.writer(f, quoting=csv.QUOTE_MINIMAL)
                for score in Result.get_system_data(campaign.id, extended_csv=True, add_batch_info=batch_info):
                    writer.writerow([str(x) for x in score])
            theirs = ratings(files, protocol)
            check(f"{name}: ratings", sorted(theirs), sorted(ours))
            for key in ours:
                if key in theirs:
                    check(f"{name} {key}", ({k: round(v) for k, v in theirs[key][0].items()}, *theirs[key][1:]),
                          ({k: round(v) for k, v in ours[key][0].items()}, *ours[key][1:]))
    print(f"{name}: {len(batches)} batches, {len(rows)} rows, {len(ours)} ratings")

print(f"{len(problems)} differences")
print("\n".join(problems[:20]))
sys.exit(1 if problems else 0)
