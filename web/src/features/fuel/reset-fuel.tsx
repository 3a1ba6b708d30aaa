import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWrite } from "#/shared/form/use-write";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { useRefreshFuel } from "./queries";

export function ResetFuel({
  isEmpty,
  total,
}: {
  /** Whether there is nothing to reset; undefined while loading. */
  isEmpty: boolean | undefined;
  /** The total of the current period, if it is known. */
  total?: number | undefined;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const labels = useEquipmentLabels();
  const refresh = useRefreshFuel();
  const [open, setOpen] = useState(false);
  const reset = useWrite(EquipmentService.method.resetFuel, {
    onSuccess: async () => {
      toast.success(t("fuel.reset.done"), t("fuel.reset.doneText"));
      await refresh();
    },
    onError: (error) =>
      toast.failure(t("fuel.reset.failed"), errorText(error, "fuel.reset.failedText")),
    onSettled: () => setOpen(false),
  });
  const blocked =
    isEmpty === undefined
      ? t("fuel.reset.unknown")
      : isEmpty && !reset.isPending
        ? t("fuel.reset.nothing")
        : undefined;
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)} disabledReason={blocked}>
        <RotateCcw aria-hidden className="size-4" />
        {t("fuel.reset.open")}
      </Button>
      <AlertDialog
        open={open}
        onOpenChange={setOpen}
        title={t("fuel.reset.title")}
        description={
          total === undefined
            ? t("fuel.reset.textNoTotal")
            : t("fuel.reset.text", { total: labels.gallons(total) })
        }
        confirmLabel={t("fuel.reset.confirm")}
        pendingLabel={t("fuel.reset.pending")}
        pending={reset.isPending}
        onConfirm={() => reset.mutate({})}
      />
    </>
  );
}
