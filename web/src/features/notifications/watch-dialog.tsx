import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Watch } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { mostWatched } from "#/api/watch";
import { audienceOf } from "#/domain/permissions";
import { useSession } from "#/session/session";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";
import { useSetWatch } from "#/shared/use-set-watch";
import { useWatchText } from "./use-watch-text";
import { WatchLists } from "./watch-lists";

/** Chooses the machines that the person is notified of. */
export function WatchDialog({ watch, onClose }: { watch: Watch | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isOperator = audienceOf(useSession()) === "operator";
  const text = useWatchText();
  // The lists keep their order while the person chooses.
  const [first] = useState(watch);
  const [isUsual, setUsual] = useState(watch === undefined);
  const [machines, setMachines] = useState<ReadonlySet<string>>(() => new Set(watch?.equipmentIds));
  const [groups, setGroups] = useState<ReadonlySet<string>>(() => new Set(watch?.groups));
  const chosen = { equipmentIds: [...machines], groups: [...groups] };
  const save = useSetWatch({
    onSuccess: () => {
      toast.success(t("notifications.watch.saved"));
      onClose();
    },
  });
  const tooMany = [
    machines.size > mostWatched.machines &&
      t("notifications.watch.tooManyMachines", { most: mostWatched.machines }),
    groups.size > mostWatched.groups &&
      t("notifications.watch.tooManyGroups", { most: mostWatched.groups }),
  ].find((text) => text !== false);
  const problem = isUsual ? undefined : tooMany;
  const error = problem ?? (save.error && errorText(save.error, "notifications.watch.failed"));
  const notice = error && <Notice tone="danger">{error}</Notice>;
  const close = () => {
    if (!save.isPending) onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={close}
      title={t("notifications.watch.title")}
      description={
        isOperator ? t("notifications.watch.textOperator") : t("notifications.watch.text")
      }
      footer={
        <>
          <Button onClick={close}>{t("common.cancel")}</Button>
          <Button
            variant="primary"
            onClick={() => save.mutate(isUsual ? {} : { watch: chosen })}
            pending={save.isPending}
            pendingLabel={t("notifications.settings.saving")}
            disabledReason={problem}
          >
            {t("notifications.settings.save")}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <fieldset className="min-w-0 space-y-2">
          <legend className="sr-only">{t("notifications.watch.which")}</legend>
          <Way checked={isUsual} onChoose={() => setUsual(true)}>
            {isOperator
              ? t("notifications.watch.usualOperator")
              : t("notifications.watch.usualManager")}
          </Way>
          <Way
            checked={!isUsual}
            onChoose={() => setUsual(false)}
            note={isUsual ? undefined : text(chosen)}
          >
            {t("notifications.watch.chosen")}
          </Way>
        </fieldset>
        {isUsual ? (
          notice
        ) : (
          <WatchLists
            first={first}
            machines={machines}
            onMachines={setMachines}
            groups={groups}
            onGroups={setGroups}
            notice={notice}
          />
        )}
      </div>
    </Dialog>
  );
}

function Way({
  checked,
  onChoose,
  note,
  children,
}: {
  checked: boolean;
  onChoose: () => void;
  /** What the choice means now. */
  note?: string | undefined;
  children: string;
}) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-(--control-radius) border border-control-line px-3.5 py-2 transition-colors hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
    >
      <input
        id={id}
        type="radio"
        name="watch"
        checked={checked}
        onChange={onChoose}
        aria-label={children}
        className="size-4 shrink-0 accent-(--accent)"
      />
      <span className="min-w-0">
        <span aria-hidden className="font-semibold">
          {children}
        </span>
        <span role="status" className="block text-sm wrap-anywhere text-muted empty:hidden">
          {note}
        </span>
      </span>
    </label>
  );
}
