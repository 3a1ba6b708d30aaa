import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { mayLogout } from "#/session/logout-guard";
import { changeSession, endServerSession } from "#/session/session";
import { detectLanguage } from "#/i18n";
import { setTheme } from "#/shared/theme";
import { forgetDevice } from "./known-device";

/**
 * Clears what this login left on the device, choices of language and looks included: the next
 * person starts from what the browser says. Entries that are not sent yet live in IndexedDB and stay.
 */
async function clearDevice(): Promise<void> {
  localStorage.clear();
  sessionStorage.clear();
  forgetDevice();
  setTheme("system");
  // Without a connection the texts of that language may be missing; the language then stays.
  await detectLanguage().catch(() => undefined);
}

export function useLogout(): { logout: () => void; pending: boolean } {
  const client = useQueryClient();
  const router = useRouter();
  const { mutate, isPending } = useMutation({
    mutationFn: endServerSession,
    onSettled: async () => {
      await clearDevice();
      // A page that is closed right after must not leave its identity on the device.
      await changeSession(client, null);
      // A half-filled form must not hold back whoever has just been signed out.
      await router.navigate({ to: "/", ignoreBlocker: true });
    },
  });
  const logout = async () => {
    if (await mayLogout()) mutate();
  };
  return { logout: () => void logout(), pending: isPending };
}
