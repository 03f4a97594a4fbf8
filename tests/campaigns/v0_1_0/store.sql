BEGIN TRANSACTION;
CREATE TABLE annotators (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	hashed TEXT NOT NULL, 
	excluded_at TEXT, 
	reason TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (campaign_id, name), 
	UNIQUE (campaign_id, hashed), 
	FOREIGN KEY(campaign_id) REFERENCES campaigns (id)
);
INSERT INTO "annotators" VALUES(1,1,'ann','026866d99366aefc',NULL,NULL);
INSERT INTO "annotators" VALUES(2,1,'ben','0f4cf2bf7070f373',NULL,NULL);
INSERT INTO "annotators" VALUES(3,2,'ann','ca3586f123564975',NULL,NULL);
INSERT INTO "annotators" VALUES(4,2,'ben','d724ee52fee1dc9e',NULL,NULL);
INSERT INTO "annotators" VALUES(5,2,'cy','c398f0dee9910fa0',NULL,NULL);
CREATE TABLE campaigns (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	format INTEGER NOT NULL, 
	protocol TEXT NOT NULL, 
	per_item INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	open BOOLEAN NOT NULL, 
	secret TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "campaigns" VALUES(1,'ranks',1,'{"name": "rank", "kind": "rank", "title": "Which summary is best?", "questions": [{"name": "informative", "text": "How well does it hold the key points of the news?"}, {"name": "coherent", "text": "How well do its sentences belong together?"}, {"name": "overall", "text": "How satisfied are you with it?"}], "guidance": ["The reference was written by an editor. Take it as the gold standard; the link leads to the article where you want to know more.", "For each question give every summary a rank: 1 is best. Equal summaries get equal ranks, and so do two that you find equally good: A=3, B=1, C=1, D=2 is fine.", "Informative: does the summary include the key points?", "Coherent: do adjacent sentences belong together? A pair that would never stand side by side counts against it; so does a pronoun whose noun is missing, and a beginning that needs a sentence before it. An agency line at the start is fine. Length does not matter here.", "Overall: rank by how satisfied you are with the summary as a whole.", "Sentences are set on lines of their own. The separator means nothing, and a sentence that was cut in the wrong place is not the system''s fault.", "Where two columns hold the same text, the later one says so: give both the same rank."], "levels": [], "conditions": [], "good_examples": ["ALDINE (CW) - The museum''s best-loved painting was stolen on Wednesday. Thieves came through a skylight. They were gone in four minutes. — Coherent: the agency line shows that this is the beginning, and it is clear who “they” are."], "bad_examples": ["“We had no choice,” she added. The dam holds 40 million cubic metres. — Not coherent: it begins as if a sentence were missing, and nobody knows who “she” is.", "It was stolen in four minutes. It is on every biscuit tin. Rates fell by half a point. — Not coherent: “it” has no noun, and the last sentence belongs to another story."], "bundle": 1, "version": 1}',2,7,0,'5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f');
INSERT INTO "campaigns" VALUES(2,'grades',1,'{"name": "grade", "kind": "scale", "title": "How good is this comment?", "questions": [{"name": "grade", "text": "Give the comment a grade from 1 to 5."}], "guidance": ["Read the title, then the comment. Judge the comment, not whether you agree with it.", "Start from the lowest level whose description fits, and go up only if the next one fits as well.", "A comment may be long and empty, or short and sharp: length is no reason for a grade.", "Likes, spelling slips and an informal tone do not count, as long as the comment can be read."], "levels": [{"value": 1, "brief": "Hard to read; broken language; only emoji", "full": "Not a normal, readable sentence: scrambled text, single shouts, nothing but punctuation or emoji.", "examples": ["!!!!!! 😂😂😂", "lol lol waht is teh", "...asdf"]}, {"value": 2, "brief": "Readable, but about something else", "full": "Fluent and grammatical, but neither topic nor argument has to do with the article; advertising and spam stand here too.", "examples": ["My cat sleeps all day, she is so cute.", "Earn from home, see my profile.", "Does anyone know a good dentist?"]}, {"value": 3, "brief": "Somewhat relevant; would fit other articles as well", "full": "Easy to read and related in some way, but vague: no detail and no focus, so that it could stand under many other articles.", "examples": ["So sad, thoughts with everyone.", "They never listen to us anyway.", "Looking forward to it!"]}, {"value": 4, "brief": "About this article, with a meaningful idea", "full": "Clearly about this very article, well written, and with an opinion or perspective that means something, even if it is a common one.", "examples": ["The ferry had been late for repair twice; somebody must have signed that off.", "A cap of 24 pupils needs classrooms first, and our school has none to spare.", "I would rather pay two crowns more for the crossing and know that the radar works."]}, {"value": 5, "brief": "Rich, insightful, new yet relevant", "full": "Informative and rich in content: a new, interesting or insightful view that is highly relevant, or that takes the article''s own view further.", "examples": ["I maintained radars for nine years. A set that is out for twelve days is not waiting for a part, it is waiting for a decision; ask for the log, it has the name in it.", "The offer of 4 % sounds like the last one until you see that the base changed: allowances are no longer counted. Against the old base it is 2.6 %.", "Open the dam slowly from noon and the peak arrives at dusk; in one go at dawn it arrives with the school buses. The engineers saved the dam, but who chose the hour?"]}], "conditions": [], "good_examples": [], "bad_examples": [], "bundle": 1, "version": 1}',1,7,0,'6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a6a');
CREATE TABLE judgments (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	campaign_id INTEGER NOT NULL, 
	task INTEGER NOT NULL, 
	target INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	question TEXT NOT NULL, 
	value TEXT NOT NULL, 
	shown TEXT, 
	at TEXT, 
	seconds DOUBLE, 
	via TEXT NOT NULL, 
	FOREIGN KEY(campaign_id, task, target) REFERENCES targets (campaign_id, task, number), 
	FOREIGN KEY(annotator_id) REFERENCES annotators (id)
);
INSERT INTO "judgments" VALUES(1,1,1,0,1,'informative','1','A','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(2,1,1,0,1,'coherent','1','A','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(3,1,1,0,1,'overall','1','A','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(4,1,1,1,1,'informative','2','C','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(5,1,1,1,1,'coherent','2','C','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(6,1,1,1,1,'overall','2','C','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(7,1,1,2,1,'informative','3','B','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(8,1,1,2,1,'coherent','3','B','2026-01-02T09:00:00Z',30.0,'web');
INSERT INTO "judgments" VALUES(9,1,1,2,1,'overall','3','B','2026-01-02T09:00:00Z',30.0,'web');
CREATE TABLE newsdesk_schema (
	version INTEGER NOT NULL
);
INSERT INTO "newsdesk_schema" VALUES(1);
CREATE TABLE slots (
	campaign_id INTEGER NOT NULL, 
	task INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	annotator_id INTEGER, 
	pool BOOLEAN NOT NULL, 
	position INTEGER NOT NULL, 
	targets TEXT NOT NULL, 
	state TEXT NOT NULL, 
	claimed_at TEXT, 
	PRIMARY KEY (campaign_id, task, number), 
	FOREIGN KEY(campaign_id, task) REFERENCES tasks (campaign_id, number), 
	CONSTRAINT slots_state CHECK (state IN ('open', 'claimed', 'done', 'void')), 
	UNIQUE (campaign_id, task, annotator_id), 
	FOREIGN KEY(annotator_id) REFERENCES annotators (id)
);
INSERT INTO "slots" VALUES(1,0,0,2,0,2,'[0, 2, 1]','open',NULL);
INSERT INTO "slots" VALUES(1,0,1,1,0,3,'[1, 0, 2]','open',NULL);
INSERT INTO "slots" VALUES(1,1,0,1,0,1,'[0, 2, 1]','done',NULL);
INSERT INTO "slots" VALUES(1,1,1,2,0,1,'[2, 1, 0]','open',NULL);
INSERT INTO "slots" VALUES(1,2,0,1,0,2,'[2, 0, 1]','open',NULL);
INSERT INTO "slots" VALUES(1,2,1,2,0,3,'[2, 0, 1]','open',NULL);
INSERT INTO "slots" VALUES(2,0,0,5,0,1,'[0]','open',NULL);
INSERT INTO "slots" VALUES(2,1,0,4,0,1,'[0]','open',NULL);
INSERT INTO "slots" VALUES(2,2,0,3,0,1,'[0]','open',NULL);
CREATE TABLE targets (
	campaign_id INTEGER NOT NULL, 
	task INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	answer TEXT, 
	PRIMARY KEY (campaign_id, task, number), 
	FOREIGN KEY(campaign_id, task) REFERENCES tasks (campaign_id, number)
);
INSERT INTO "targets" VALUES(1,0,0,'s0','output 0 of system 0',NULL);
INSERT INTO "targets" VALUES(1,0,1,'s1','output 0 of system 1',NULL);
INSERT INTO "targets" VALUES(1,0,2,'s2','output 0 of system 2',NULL);
INSERT INTO "targets" VALUES(1,1,0,'s0','output 1 of system 0',NULL);
INSERT INTO "targets" VALUES(1,1,1,'s1','output 1 of system 1',NULL);
INSERT INTO "targets" VALUES(1,1,2,'s2','output 1 of system 2',NULL);
INSERT INTO "targets" VALUES(1,2,0,'s0','output 2 of system 0',NULL);
INSERT INTO "targets" VALUES(1,2,1,'s1','output 2 of system 1',NULL);
INSERT INTO "targets" VALUES(1,2,2,'s2','output 2 of system 2',NULL);
INSERT INTO "targets" VALUES(2,0,0,'c0','comment 0','5');
INSERT INTO "targets" VALUES(2,1,0,'c1','comment 1',NULL);
INSERT INTO "targets" VALUES(2,2,0,'c2','comment 2',NULL);
CREATE TABLE tasks (
	campaign_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	item TEXT NOT NULL, 
	context TEXT NOT NULL, 
	PRIMARY KEY (campaign_id, number), 
	UNIQUE (campaign_id, name), 
	FOREIGN KEY(campaign_id) REFERENCES campaigns (id)
);
INSERT INTO "tasks" VALUES(1,0,'t0','item0','[["reference", "what happened in 0"]]');
INSERT INTO "tasks" VALUES(1,1,'t1','item1','[["reference", "what happened in 1"]]');
INSERT INTO "tasks" VALUES(1,2,'t2','item2','[["reference", "what happened in 2"]]');
INSERT INTO "tasks" VALUES(2,0,'c0','article0','[]');
INSERT INTO "tasks" VALUES(2,1,'c1','article0','[]');
INSERT INTO "tasks" VALUES(2,2,'c2','article0','[]');
CREATE INDEX slots_in_pool ON slots (campaign_id, state, position, task) WHERE annotator_id IS NULL;
CREATE INDEX slots_of_annotator ON slots (campaign_id, annotator_id, state, position);
CREATE INDEX judgments_by_key ON judgments (campaign_id, task, target, annotator_id, question, seq);
CREATE TRIGGER judgments_no_update BEFORE update ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER judgments_no_delete BEFORE delete ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('judgments',9);
COMMIT;
