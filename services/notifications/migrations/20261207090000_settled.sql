-- What was decided needs nobody's attention any more.

ALTER TABLE notifications ADD COLUMN settled boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN notifications.settled IS 'Its update was decided or withdrawn; it counts as read by all.';
GRANT UPDATE (settled) ON notifications TO hourmeter_notifications;
