-- Facts now include the page's last visits. They are recomputed from held snapshots.
DELETE FROM facts;
