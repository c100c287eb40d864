// The JSON that the scripts and the server exchange. Made of internal/wire by go generate.

export interface Ask {
  text: string;
  token: string;
}

export interface CandidateText {
  id: string;
  text: string;
}

export interface Card extends Value {
  same?: number[];
  text?: string;
  suggestions?: ErrorSpan[];
  peers?: Peer[];
  candidates?: CandidateText[];
}

export interface Category {
  name: string;
  text: string;
  group?: string;
  rule?: string;
  comment?: boolean;
  sub?: Category[];
}

export interface Derived {
  label: string;
  weights: Weight[];
}

export interface Document {
  segments: DocumentSegment[];
}

export interface DocumentSegment {
  place: number;
  source: string;
  translation?: string;
  url?: string;
  state: string;
  marks?: Mark[];
  written?: string;
}

export interface ErrorSpan {
  id: string;
  side: 'source' | 'target' | 'reference';
  start: number;
  end: number;
  text: string;
  severity: string;
  category?: string;
  subcategory?: string;
  comment?: string;
  link?: string;
  answers?: Record<string, string>;
  suggestion?: string;
}

export interface Job {
  busy: boolean;
  words: string;
  share: number;
}

export interface Keys {
  protocol: string;
  keys: Record<string, string>;
}

export interface Level {
  value: number;
  to?: number;
  name: string;
}

export interface Mark {
  id?: string;
  side: 'source' | 'target' | 'reference';
  text: string;
  severity: string;
  category?: string;
  subcategory?: string;
}

export interface Marking {
  severities: Severity[];
  terms?: boolean;
  given?: boolean;
  reference?: boolean;
  questions?: Question[];
  categories?: Category[];
  links?: boolean;
  id_prefix?: string;
  max_errors?: number;
  missing_punctuation?: Template;
  derived?: Derived;
  suggestions?: boolean;
}

export interface Marks {
  spans?: ErrorSpan[];
  no_errors?: boolean;
  rejected?: string[];
}

export interface Message {
  by: string;
  what?: string;
  text: string;
  at: string;
  when: string;
  new?: boolean;
}

export interface Missing {
  id: string;
  reason: string;
}

export interface Next {
  next: string;
}

export interface Option {
  value: string;
  label: string;
  text?: string;
  comment?: boolean;
}

export interface Peer {
  letter: string;
  scores: Record<string, number>;
  answers?: Record<string, string[]>;
  spans?: ErrorSpan[];
}

export interface Problem {
  text: string;
}

export interface Question {
  name: string;
  label: string;
  kind: string;
  required?: boolean;
  when?: When;
  several?: boolean;
  options?: Option[];
  none?: string;
  help?: string;
  begin?: string;
  min?: number;
  max?: number;
}

export interface Refusal {
  code?: string;
  error: string;
  field?: string;
  card?: Value;
  cards?: Missing[];
}

export interface Save {
  revision: number;
  save_id: string;
  scores: Record<string, number>;
  comment: string;
  seconds: number;
  answers: Record<string, string[]>;
  spans: ErrorSpan[];
  no_errors: boolean;
  rejected: string[];
}

export interface Saved {
  revision: number;
  saved_at: string;
}

export interface Score {
  name: string;
  label: string;
  min: number;
  max: number;
  levels?: Level[];
}

export interface Severity {
  id: string;
  name: string;
  style: string;
}

export interface Skip {
  reason: string;
}

export interface State {
  assignment: string;
  user: string;
  round: number;
  submitted: boolean;
  changed: boolean;
  idle_seconds: number;
  undo_seconds: number;
  doc_length: number;
  timezone: string;
  urls: URLs;
  scores: Score[];
  questions?: Question[];
  itself?: boolean;
  cards: Card[];
  adjudicates?: boolean;
  preview?: boolean;
  protocol: string;
  keys?: Record<string, string>;
  marking?: Marking;
  source?: string;
  terms?: ErrorSpan[];
  reference?: string;
}

export interface Submit {
  cards: Record<string, number>;
  again: boolean;
}

export interface Template {
  severity: string;
  category?: string;
  subcategory?: string;
}

export interface Thread {
  messages: Message[];
}

export interface ThreadRead {
  until: string;
}

export interface URLs {
  cards: string;
  submit: string;
  skip: string;
  take_back: string;
  document: string;
  problem: string;
  thread: string;
  keys: string;
}

export interface Value extends Marks {
  id: string;
  revision: number;
  scores: Record<string, number>;
  comment: string;
  seconds: number;
  answers?: Record<string, string[]>;
}

export interface Version {
  version: number;
}

export interface Weight {
  severity?: string;
  category?: string;
  subcategory?: string;
  weight: number;
  unless?: string;
}

export interface When {
  question: string;
  is: string[];
}
