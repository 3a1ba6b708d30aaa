import { useMutation, useQueryClient } from "@tanstack/react-query";
import { unsubscribePush } from "#/device/push";
import { getSession } from "#/session/state";
import { mayLogout } from "#/session/logout-guard";
import { changeSession, endServerSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { useNavigation } from "#/shared/navigation";
import { toast } from "#/shared/toast/store";
import { setTheme } from "#/shared/theme";
import { forgetDevice } from "./known-device";

/** Settings of this device, which the next user sees on the sign-in page. */
const kept = ["language", "contrast"];

/**
 * Clears local and session storage, and ends the browser's notifications. Unsent entries are in
 * IndexedDB and remain.
 */
function clearDevice(): void {
  const values = kept.map((key) => [key, localStorage.getItem(key)] as const);
  localStorage.clear();
  sessionStorage.clear();
  for (const [key, value] of values) if (value !== null) localStorage.setItem(key, value);
  forgetDevice();
  // Not every browser has them.
  unsubscribePush().catch(() => undefined);
  setTheme("system");
}

export function useLogout(): { logout: () => void; pending: boolean } {
  const client = useQueryClient();
  const navigation = useNavigation();
  const { mutate, isPending } = useMutation({
    mutationFn: endServerSession,
    onSettled: async (isReached) => {
      // Without signal the next operator signs in on the page that the phone has stored.
      const isHandedOver = audienceOf(getSession().user) === "operator" && !isReached;
      clearDevice();
      toast.dismiss();
      const forgotten = changeSession(client, null);
      // A half-filled form must not block a user who is already signed out.
      await navigation.go(isHandedOver ? "/employee-login" : "/", { ignoreBlocker: true });
      await forgotten;
    },
  });
  const logout = async () => {
    if (await mayLogout()) mutate();
  };
  return { logout: () => void logout(), pending: isPending };
}
