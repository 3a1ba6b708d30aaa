import { useTranslation } from "react-i18next";
import type { Watch } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { audienceOf } from "#/domain/permissions";
import { useSession } from "#/session/session";

/** "You are notified of 3 machines and the group North yard." Without a watch, the usual ones. */
export function useWatchText(): (
  watch: Pick<Watch, "equipmentIds" | "groups"> | undefined,
) => string {
  const { t, i18n } = useTranslation();
  const isOperator = audienceOf(useSession()) === "operator";
  return (watch) => {
    if (!watch) return isOperator ? t("notifications.watch.recent") : t("notifications.watch.all");
    const { equipmentIds, groups } = watch;
    const machines = equipmentIds.length;
    const [group = ""] = groups;
    const what = [
      ...(machines > 0 ? [t("notifications.watch.machines", { count: machines })] : []),
      ...(group ? [t("notifications.watch.groups", { count: groups.length, group })] : []),
    ];
    if (what.length > 0) {
      return t("notifications.watch.some", {
        what: new Intl.ListFormat(i18n.language).format(what),
      });
    }
    return isOperator
      ? t("notifications.watch.noneOperator")
      : t("notifications.watch.noneManager");
  };
}
