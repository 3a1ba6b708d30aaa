import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { mayLogout } from "#/api/logout-guard";
import { changeSession, endServerSession } from "#/api/session";
import { languageStorageKey } from "#/i18n";
import { fuelUnitStorageKey } from "#/shared/format/fuel-unit";
import { pulseAlertsStorageKey } from "#/shared/pulse-alerts";
import { themeStorageKey } from "#/shared/theme";

const devicePreferences = [
  languageStorageKey,
  themeStorageKey,
  pulseAlertsStorageKey,
  fuelUnitStorageKey,
];

/** Clears everything this login left on the device; how things are shown belongs to the device. */
function clearStorage(): void {
  const kept = devicePreferences.map((name) => [name, localStorage.getItem(name)] as const);
  localStorage.clear();
  sessionStorage.clear();
  for (const [name, value] of kept) if (value !== null) localStorage.setItem(name, value);
}

export function useLogout(): { logout: () => void; pending: boolean } {
  const client = useQueryClient();
  const router = useRouter();
  const { mutate, isPending } = useMutation({
    mutationFn: endServerSession,
    onSettled: async () => {
      clearStorage();
      changeSession(client, null);
      // A half-filled form must not hold back whoever has just been signed out.
      await router.navigate({ to: "/", ignoreBlocker: true });
    },
  });
  const logout = async () => {
    if (await mayLogout()) mutate();
  };
  return { logout: () => void logout(), pending: isPending };
}
