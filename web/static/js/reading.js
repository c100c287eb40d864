// All of the page of a segment that can only be read.

import './asides.js';
import './dialogs.js';
import './document.js';
import './kept.js';
import './ask.js';
import './announced.js';
