import { useCallback } from "react";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { setPrintJob, type PrintJob } from "./store";

export type Report = Omit<PrintJob, "company" | "date">;

export function usePrintReport(): (report: Report) => void {
  const company = useSession()?.businessName ?? "";
  const format = useFormat();
  return useCallback(
    (report) => setPrintJob({ ...report, company, date: format.instant(new Date()) }),
    [company, format],
  );
}
