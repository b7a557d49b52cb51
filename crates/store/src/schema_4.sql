-- Facts of pages got the page's last visits: they are made anew from what is held.
DELETE FROM facts;
