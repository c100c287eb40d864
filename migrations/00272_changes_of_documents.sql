-- +goose Up

-- What is read of a document for the page of plans, and of its checks, is read again after it has changed.
ALTER TABLE documents ADD COLUMN changes BIGINT NOT NULL DEFAULT 0; -- rises when the state or the assignments of one of its segments change
