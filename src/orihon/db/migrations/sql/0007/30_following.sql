-- How long the pause between two requests to a host has become (fetch/easing.py); never shorter than the settings say.

ALTER TABLE host_pace ADD COLUMN gap interval NOT NULL DEFAULT interval '0';
