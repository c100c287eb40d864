// A page of a lead on which several people's texts stand.

import { showDifferences } from './answerdiff.js';

showDifferences(document.body);
