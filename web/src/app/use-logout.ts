import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getSession } from "#/session/state";
import { mayLogout } from "#/session/logout-guard";
import { changeSession, endServerSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { detectLanguage } from "#/i18n";
import { useNavigation } from "#/shared/navigation";
import { toast } from "#/shared/toast/store";
import { setTheme } from "#/shared/theme";
import { forgetDevice } from "./known-device";

/**
 * Clears local and session storage, including the language and the theme: the next user starts with
 * the browser's defaults. Unsent entries are in IndexedDB and remain.
 */
async function clearDevice(): Promise<void> {
  localStorage.clear();
  sessionStorage.clear();
  forgetDevice();
  setTheme("system");
  // The texts of the browser's language may be missing offline; the language then stays.
  await detectLanguage().catch(() => undefined);
}

export function useLogout(): { logout: () => void; pending: boolean } {
  const client = useQueryClient();
  const navigation = useNavigation();
  const { mutate, isPending } = useMutation({
    mutationFn: endServerSession,
    onSettled: async (isReached) => {
      // Without signal the next operator signs in on the page that the phone has stored.
      const isHandedOver = audienceOf(getSession().user) === "operator" && !isReached;
      await clearDevice();
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
