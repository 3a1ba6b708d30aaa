import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { usePrintReport } from "#/shared/print/use-print-report";
import { toast } from "#/shared/toast/store";
import { wholeHistory, type HistoryChoice } from "./queries";
import { useRecordWords } from "./use-record-words";
import { visitsOf } from "./visits";

export type PrintedMachine = Pick<Equipment, "name" | "unitNumber" | "serialNumber">;

/** Prints all filtered entries, including those that the screen has not loaded. */
export function useHistoryPrint(
  choice: HistoryChoice,
  { name, unitNumber, serialNumber }: PrintedMachine,
  /** In words. */
  filters: readonly string[],
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const words = useRecordWords();
  const print = usePrintReport();
  const { mutate, isPending } = useMutation({
    mutationFn: () => wholeHistory(transport, choice),
    onSuccess: (records) => {
      if (records.length === 0) {
        toast.failure(t("equipment-detail.print.none"), t("equipment-detail.print.noneText"));
        return;
      }
      const visits = visitsOf(records, t("equipment-detail.tasks.regular"));
      print({
        title: t("equipment-detail.print.history", { name }),
        note: joined([
          unitNumber,
          serialNumber,
          t("equipment-detail.print.records", { count: visits.length }),
          ...filters,
        ]),
        columns: [
          { header: t("equipment-detail.csv.date") },
          { header: t("equipment-detail.csv.type") },
          { header: t("equipment-detail.csv.operator") },
          { header: t("equipment-detail.csv.usage"), align: "end" },
          { header: t("equipment-detail.csv.fuelAdded"), align: "end" },
          { header: t("equipment-detail.csv.content") },
        ],
        rows: visits.map(({ record }) => {
          const { voiding } = record;
          const stated = (text: string) => (voiding && text !== "" ? <s>{text}</s> : text);
          const content = joined([
            words.lateReading(record),
            words.content(record),
            words.dial(record),
            words.cost(record),
          ]);
          const about = joined([
            words.corrected(record),
            words.entered(record),
            voiding ? words.voided(voiding) : "",
          ]);
          return [
            words.happened(record),
            stated(words.title(record)),
            record.operatorName,
            stated(words.meter(record)),
            stated(words.fuel(record)),
            voiding ? (
              <>
                {stated(content)} {about}
              </>
            ) : (
              joined([content, about])
            ),
          ];
        }),
      });
    },
    onError: (error) => toast.failure(t("equipment-detail.print.failed"), errorText(error)),
  });
  return { run: () => mutate(), pending: isPending };
}

function joined(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter(Boolean).join(" · ");
}
