import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { SettingsService } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { notificationsKey } from "#/api/unread-notifications";
import { watchQuery } from "#/api/watch";
import { useWrite } from "./form/use-write";

/** Sets which machines the user watches, which also changes the list and the unread number. */
export function useSetWatch(on: { onSuccess: () => void; onError?: (error: Error) => void }) {
  const client = useQueryClient();
  const watch = watchQuery(useTransport()).queryKey;
  return useWrite(SettingsService.method.setWatch, {
    ...on,
    onSettled: () =>
      Promise.all(
        [watch, notificationsKey].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}
