import { createStoredChoice } from "#/shared/store";

/** Whether the last page had an access banner, so that the next one shows it without delay. */
export const accessNotice = createStoredChoice("accessNotice", ["none", "shown"]);
