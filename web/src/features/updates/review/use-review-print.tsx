import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { usePrintReport } from "#/shared/print/use-print-report";
import type { EquipmentById } from "../queries";
import { UpdateFigures, UpdateFlags, UpdateTime } from "./update-facts";
import { byMachine } from "./machines";
import { useMeterBefore } from "./use-meter-before";

/** Prints waiting updates in the order of the screen. */
export function useReviewPrint() {
  const { t } = useTranslation();
  const print = usePrintReport();
  return (updates: readonly OperatorUpdate[], equipmentById: EquipmentById, note: string) =>
    print({
      title: t("review.title"),
      note,
      columns: [
        { header: t("review.print.machine") },
        { header: t("review.print.operator") },
        { header: t("review.print.captured") },
        { header: t("review.print.reported") },
        { header: t("review.print.flags") },
      ],
      rows: byMachine(updates).flatMap((machine) =>
        machine.updates.map((update) => {
          const equipment = equipmentById?.get(update.equipmentId);
          return [
            <b key="machine">
              {[equipment?.unitNumber, equipment?.name ?? update.equipmentName]
                .filter(Boolean)
                .join(" · ")}
            </b>,
            update.operatorName,
            <UpdateTime key="when" update={update} />,
            <Figures key="figures" update={update} equipment={equipment} />,
            <Flags
              key="flags"
              update={update}
              equipment={equipment}
              gone={equipmentById?.isGone(update.equipmentId) ?? false}
            />,
          ];
        }),
      ),
    });
}

interface PartProps {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
}

function Figures(props: PartProps) {
  return <UpdateFigures {...props} before={useMeterBefore(props.update, props.equipment)} />;
}

function Flags(props: PartProps & { gone: boolean }) {
  return <UpdateFlags {...props} before={useMeterBefore(props.update, props.equipment)} />;
}
