-- The memory of one agent: everything scenemem stores, in one SQLite file.
--
-- This is what a new file gets. Files of this schema are in use, so it never changes in place alone:
-- each change comes with a step that brings an older file to it (scenemem/store/sqlite/migrations.py
-- says how; a test compares both ways).
--
-- Instants are UTC text of one width, 2026-11-29T19:41:18.000000Z, so that text order is time order;
-- days are 2026-11-29. `terms` columns hold what the index needs beside the text itself (the parts
-- of unspaced scripts, folded forms); they are empty for plain English. `indexed` is both, as one
-- column: a full-text index of two columns would take a fifth longer to fill.

-- Sessions: one conversation each. Its number is part of its messages' ids.
CREATE TABLE sessions (
    number             INTEGER PRIMARY KEY,
    session            TEXT NOT NULL UNIQUE,
    created_at         TEXT NOT NULL,
    summary            TEXT NOT NULL DEFAULT '',
    summarized_through INTEGER NOT NULL DEFAULT 0,     -- id of the last message in the summary
    given_summary      TEXT NOT NULL DEFAULT ''        -- what a caller or an import gave as such
) STRICT;

-- The notebook of a session: facts (any JSON value) and notes; what all sessions share are globals
-- and counters.
CREATE TABLE facts (
    session       INTEGER NOT NULL REFERENCES sessions (number),
    scope         TEXT NOT NULL CHECK (scope IN ('short', 'long')),
    key           TEXT NOT NULL CHECK (key <> ''),
    value         TEXT NOT NULL,                       -- JSON
    updated_at    TEXT NOT NULL,
    PRIMARY KEY (session, key, scope)
) STRICT, WITHOUT ROWID;
CREATE TABLE notes (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session       INTEGER NOT NULL REFERENCES sessions (number),
    note          TEXT NOT NULL CHECK (note <> ''),
    at            TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_session ON notes (session, id);
CREATE TABLE globals (
    key           TEXT PRIMARY KEY CHECK (key <> ''),
    value         TEXT NOT NULL,                       -- JSON
    updated_at    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE counters (
    name          TEXT PRIMARY KEY CHECK (name <> ''),
    count         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What compaction did: the messages that each one took into the session's summary.
CREATE TABLE compactions (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session       INTEGER NOT NULL REFERENCES sessions (number),
    at            TEXT NOT NULL,
    through       INTEGER NOT NULL,                    -- id of the last message taken in
    messages      INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,                    -- of those messages, estimated
    tokens_after  INTEGER NOT NULL                     -- of the summary
) STRICT;

-- Turns: one user message and all that answers it; also the durable queue of extraction.
-- open: the answer is still to come; pending: waits to be extracted; done: its cells are in;
-- failed: tried too often, waits for somebody to ask for it again.
CREATE TABLE turns (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session       INTEGER NOT NULL REFERENCES sessions (number),
    external_id   TEXT,
    state         TEXT NOT NULL DEFAULT 'open'
                  CHECK (state IN ('open', 'pending', 'done', 'failed')),
    stored_at     TEXT NOT NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    last_error    TEXT,
    kept          INTEGER,                             -- cells kept, once done; 0: nothing to keep
    UNIQUE (session, external_id)
) STRICT;
CREATE INDEX turns_waiting ON turns (state, id) WHERE state <> 'done';

-- Messages: verbatim, append-only. id = session number << 24 | position in the session, so that
-- neighbours and session of a message are arithmetic on its id.
CREATE TABLE messages (
    id            INTEGER PRIMARY KEY,
    turn          INTEGER NOT NULL REFERENCES turns (id),
    role          TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    name          TEXT,
    content       TEXT NOT NULL,
    redacted      TEXT,                                -- what all but the history see of it, where
                                                       -- it holds secrets or the session's own
    terms         TEXT NOT NULL DEFAULT '',
    tool_calls    TEXT,                                -- JSON list
    tool_call_id  TEXT,
    at            TEXT NOT NULL,                       -- when it was said
    external_id   TEXT,
    echo          INTEGER NOT NULL DEFAULT 0,          -- 1: only quotes the memory, tells nothing new
    indexed       TEXT GENERATED ALWAYS AS (CASE terms WHEN '' THEN coalesce(redacted, content)
                  ELSE coalesce(redacted, content) || char(10) || terms END) VIRTUAL
) STRICT;
CREATE INDEX messages_by_turn ON messages (turn);
CREATE INDEX messages_by_time ON messages (at);
CREATE INDEX messages_of_system ON messages (id) WHERE role = 'system';
CREATE INDEX messages_redacted ON messages (id) WHERE redacted IS NOT NULL;
CREATE UNIQUE INDEX messages_by_external_id ON messages (id >> 24, external_id)
    WHERE external_id IS NOT NULL;

CREATE VIRTUAL TABLE messages_fts USING fts5 (
    indexed, content = 'messages', content_rowid = 'id',
    tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts (rowid, indexed) VALUES (new.id, new.indexed);
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, indexed) VALUES ('delete', old.id, old.indexed);
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE OF content, terms ON messages BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, indexed) VALUES ('delete', old.id, old.indexed);
    INSERT INTO messages_fts (rowid, indexed) VALUES (new.id, new.indexed);
END;

-- Vectors of what messages say, where the memory is used with an embedder: half floats, little-endian,
-- of length 1. A message has one at most; what changes its text takes it away. `added` and `removed`
-- count the vectors of an embedder that came and went, so that whoever holds them in memory knows what
-- is new; `number` is what `added` was when the vector came.
CREATE TABLE embedders (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    dimensions    INTEGER NOT NULL CHECK (dimensions > 0),
    added         INTEGER NOT NULL DEFAULT 0,
    removed       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE message_vectors (
    message       INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    embedder      INTEGER NOT NULL REFERENCES embedders (id),
    number        INTEGER NOT NULL,
    vector        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX message_vectors_by_number ON message_vectors (embedder, number);
CREATE TRIGGER message_vectors_delete AFTER DELETE ON message_vectors BEGIN
    UPDATE embedders SET removed = removed + 1 WHERE id = old.embedder;
END;
CREATE TRIGGER messages_changed AFTER UPDATE OF content, redacted ON messages BEGIN
    DELETE FROM message_vectors WHERE message = new.id;
END;

-- Who speaks in this memory, by name: a question that names one of them favours what that one said.
CREATE TABLE speakers (
    name          TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Scenes: a named group of cells with one summary, which covers the cells up to the watermark.
-- The columns from `cells` on sum up the scene's cells in force, so that reading a scene of a hundred
-- thousand cells reads one row.
CREATE TABLE mem_scenes (
    scene         TEXT PRIMARY KEY,                    -- its name, as people read it
    summary       TEXT NOT NULL DEFAULT '',
    updated_at    TEXT NOT NULL,
    watermark     INTEGER NOT NULL DEFAULT 0,
    due           INTEGER NOT NULL DEFAULT 0,          -- 1: what it summed up has changed since
    cells         INTEGER NOT NULL DEFAULT 0,
    newest        INTEGER NOT NULL DEFAULT 0,          -- id of its newest cell
    first_at      TEXT,                                -- when its first and its last were said
    last_at       TEXT
) STRICT;

-- Every spelling that leads to a scene, normalised; its own name's key is among them.
CREATE TABLE scene_aliases (
    alias_key     TEXT PRIMARY KEY,
    alias         TEXT NOT NULL,
    scene         TEXT NOT NULL REFERENCES mem_scenes (scene) ON UPDATE CASCADE ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX scene_aliases_by_scene ON scene_aliases (scene);

-- Cells: one atomic typed memory each, in plain text.
CREATE TABLE mem_cells (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    scene          TEXT NOT NULL,                      -- of mem_scenes; kept in step by the store,
                                                       -- as a foreign key costs each insert 5 %
    cell_type      TEXT NOT NULL
                   CHECK (cell_type IN ('fact', 'plan', 'preference', 'decision', 'task', 'risk')),
    salience       REAL NOT NULL CHECK (salience BETWEEN 0.0 AND 1.0),
    content        TEXT NOT NULL CHECK (content <> ''),
    terms          TEXT NOT NULL DEFAULT '',
    created_at     TEXT NOT NULL,                      -- when it was said
    occurred_at    TEXT,                               -- first day it speaks of
    occurred_until TEXT,                               -- last day it speaks of
    speaker        TEXT,
    source_first   INTEGER,                            -- ids of the messages it came from
    source_last    INTEGER,
    superseded_by  INTEGER REFERENCES mem_cells (id) ON DELETE SET NULL,
    valid_to       TEXT,                               -- when another cell took its place
    told           INTEGER NOT NULL DEFAULT 1,         -- how many times it was said
    recalls        INTEGER NOT NULL DEFAULT 0,         -- how often an answer was built on it
    fingerprint    INTEGER NOT NULL,                   -- of its words, to tell repeats
    indexed        TEXT GENERATED ALWAYS AS
                   (CASE terms WHEN '' THEN content ELSE content || char(10) || terms END) VIRTUAL
) STRICT;
CREATE INDEX mem_cells_by_scene ON mem_cells (scene, id);
CREATE INDEX mem_cells_most_salient ON mem_cells (salience DESC, id DESC)
    WHERE salience >= 0.75 AND superseded_by IS NULL;
CREATE INDEX mem_cells_by_source ON mem_cells (source_first) WHERE source_first IS NOT NULL;
CREATE INDEX mem_cells_by_day ON mem_cells (occurred_at) WHERE occurred_at IS NOT NULL;
CREATE INDEX mem_cells_by_fingerprint ON mem_cells (fingerprint);
CREATE INDEX mem_cells_superseding ON mem_cells (superseded_by) WHERE superseded_by IS NOT NULL;

-- Further messages that told a cell again.
CREATE TABLE cell_tellings (
    cell     INTEGER NOT NULL REFERENCES mem_cells (id) ON DELETE CASCADE,
    message  INTEGER NOT NULL,
    PRIMARY KEY (cell, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX cell_tellings_by_message ON cell_tellings (message);

CREATE VIRTUAL TABLE mem_cells_fts USING fts5 (
    indexed, content = 'mem_cells', content_rowid = 'id',
    tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE TRIGGER mem_cells_fts_insert AFTER INSERT ON mem_cells BEGIN
    INSERT INTO mem_cells_fts (rowid, indexed) VALUES (new.id, new.indexed);
END;
CREATE TRIGGER mem_cells_fts_delete AFTER DELETE ON mem_cells BEGIN
    INSERT INTO mem_cells_fts (mem_cells_fts, rowid, indexed) VALUES ('delete', old.id, old.indexed);
END;
CREATE TRIGGER mem_cells_fts_update AFTER UPDATE OF content, terms ON mem_cells BEGIN
    INSERT INTO mem_cells_fts (mem_cells_fts, rowid, indexed) VALUES ('delete', old.id, old.indexed);
    INSERT INTO mem_cells_fts (rowid, indexed) VALUES (new.id, new.indexed);
END;

-- The change log: who changed what in the memory, and why. Append-only; forgetting blanks what
-- its entries quoted of the forgotten text.
CREATE TABLE change_log (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    at       TEXT NOT NULL,
    actor    TEXT NOT NULL,                            -- manager, cli, tool, migration, …
    action   TEXT NOT NULL,                            -- insert, supersede, rename, forget, …
    subject  TEXT NOT NULL,                            -- such as "cell 12" or "scene Launch"
    turn     INTEGER,                                  -- the turn that caused it, if one did
    before   TEXT,
    after    TEXT,
    reason   TEXT
) STRICT;
CREATE INDEX change_log_by_subject ON change_log (subject);

-- What model calls cost, by day, model and purpose.
CREATE TABLE model_usage (
    day               TEXT NOT NULL,
    model             TEXT NOT NULL,
    purpose           TEXT NOT NULL,
    calls             INTEGER NOT NULL,
    failed            INTEGER NOT NULL,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    estimated         INTEGER NOT NULL,                -- calls whose tokens the server did not tell
    PRIMARY KEY (day, model, purpose)
) STRICT, WITHOUT ROWID;
