import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { clsx } from "clsx";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { dayIn } from "#/domain/calendar";
import { Button } from "#/shared/ui/button";
import { useCompanyZone } from "#/shared/use-company-day";
import { useIsBefore } from "./use-is-before";

/** An undo, and after its end the way to the entry of an applied update, which can be voided. */
export function UndoOrVoid({
  until,
  applied,
  className,
  pending,
  disabledReason,
  onUndo,
}: {
  /** The end of the offer to undo, in milliseconds. */
  until: number;
  /** Absent: there is no entry that can be voided. */
  applied: OperatorUpdate | undefined;
  className?: string;
  pending: boolean;
  disabledReason?: string | undefined;
  onUndo: () => void;
}) {
  const { t } = useTranslation();
  const isOffered = useIsBefore(until);
  const search = useEntrySearch(applied);
  if (isOffered) {
    return (
      <Button size="small" {...{ className, pending, disabledReason }} onClick={onUndo}>
        {t("review.undo.action")}
      </Button>
    );
  }
  if (!applied) return null;
  return (
    <Button asChild size="small" variant="quiet" className={clsx("-mx-3 text-muted", className)}>
      <Link to="/equipment/item/$id" params={{ id: applied.equipmentId }} search={search}>
        {t("review.undo.void")}
      </Link>
    </Button>
  );
}

/** The history of the operator from the day of the reading to that of the decision. */
function useEntrySearch(applied: OperatorUpdate | undefined) {
  const zone = useCompanyZone();
  const day = (at: Timestamp | undefined) => (at ? dayIn(zone, timestampDate(at)) : undefined);
  return {
    tab: "history",
    person: applied?.operatorId,
    // A phone's clock may be ahead.
    from: [day(applied?.capturedAt), day(applied?.createdAt)].filter(Boolean).toSorted()[0],
    to: day(applied?.reviewedAt),
  } as const;
}
