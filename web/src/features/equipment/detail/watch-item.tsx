import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bell, Eye, EyeOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Watch } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { watchQuery } from "#/api/watch";
import { toast } from "#/shared/toast/store";
import { MenuItem, MenuLink } from "#/shared/ui/menu";
import { useSetWatch } from "#/shared/use-set-watch";

const icon = "size-4 shrink-0 text-muted";

/**
 * Whether the person is notified of the machine. It is only asked while the menu is open, because
 * few open it.
 */
export function WatchItem({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(watchQuery(useTransport()));
  const watch = data?.watch;
  const { group = "" } = equipment;
  if (isPending) {
    return (
      <MenuItem disabled icon={<Bell aria-hidden className={icon} />} onSelect={() => undefined}>
        {t("equipment-detail.watch.loading")}
      </MenuItem>
    );
  }
  if (watch && !watch.groups.includes(group)) return <Choice {...{ equipment, watch }} />;
  return (
    <MenuLink>
      <Link to="/notifications">
        <Bell aria-hidden className={icon} />
        {watch && t("equipment-detail.watch.group", { group })}
        {!watch && (data ? t("equipment-detail.watch.all") : t("shell.titles.notifications"))}
      </Link>
    </MenuLink>
  );
}

/** Adds the machine to those that the person has chosen, or removes it. */
function Choice({ equipment: { id, name }, watch }: { equipment: Equipment; watch: Watch }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isWatched = watch.equipmentIds.includes(id);
  // The menu is closed by then.
  const onError = (error: Error) =>
    toast.failure(t("equipment-detail.watch.failed"), errorText(error));
  const undo = useSetWatch({
    onSuccess: () => toast.success(t("equipment-dialogs.undo.done")),
    onError,
  });
  const set = useSetWatch({
    onSuccess: () =>
      toast.success(
        isWatched
          ? t("equipment-detail.watch.off", { name })
          : t("equipment-detail.watch.on", { name }),
        undefined,
        { label: t("equipment-dialogs.undo.action"), run: () => undo.mutate({ watch }) },
      ),
    onError,
  });
  const others = watch.equipmentIds.filter((other) => other !== id);
  const equipmentIds = isWatched ? others : [...others, id];
  const Icon = isWatched ? EyeOff : Eye;
  return (
    <MenuItem
      icon={<Icon aria-hidden className={icon} />}
      onSelect={() => set.mutate({ watch: { equipmentIds, groups: watch.groups } })}
    >
      {isWatched ? t("equipment-detail.watch.stop") : t("equipment-detail.watch.watch")}
    </MenuItem>
  );
}
