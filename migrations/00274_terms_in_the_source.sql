-- +goose Up

-- A segment whose only terms lie in the reference now stays behind. The program counts the campaigns that mark terms again when it
-- opens the database.
DELETE FROM campaign_tallies WHERE campaign_id IN (SELECT campaign_id FROM all_systems WHERE name = '')
    OR campaign_id IN (SELECT id FROM campaigns WHERE definition LIKE '%"terms"%');
