import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { SettingsService } from "./gen/hourmeter/notifications/v1/settings_pb";

/** The server's limits. */
export const mostWatched = { machines: 500, groups: 50 };

/** The machines that the user watches. */
export function watchQuery(transport: Transport) {
  return createQueryOptions(SettingsService.method.getWatch, {}, { transport });
}
