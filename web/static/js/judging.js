// All of the page on which a segment is judged.

import './asides.js';
import './ask.js';
import './announced.js';
import './annotate.js';
