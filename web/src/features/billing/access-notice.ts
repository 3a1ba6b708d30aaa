import { createStoredChoice } from "#/shared/store";

/** Whether access had ended on the last page. The next page loads the notice before it is idle. */
export const accessNotice = createStoredChoice("accessNotice", ["none", "shown"]);
