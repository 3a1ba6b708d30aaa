import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { checkReading } from "#/domain/reading-check";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { rowsOf, useEquipmentById, useUpdatePages, type EquipmentById } from "../queries";
import { MoreButton } from "../recent/more-button";
import { withDecided } from "../use-decided";
import type { Decisions } from "../use-decisions";
import { checkedEntry, checkedMeter } from "./checked";
import { DecidedStatus } from "./decided-state";
import { NamedUpdate } from "./named-update";
import { Questions, useActs } from "./questions";
import { useFocusedRow } from "./use-active-row";

const pageSize = 20;

/** Updates whose entries were voided: they can be applied again with another value. */
export function TakenBackCard({
  decisions,
  blocked,
  focused,
}: {
  decisions: Decisions;
  blocked: string | undefined;
  /** The update that gets the focus. */
  focused: string | undefined;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useUpdatePages([UpdateStatus.TAKEN_BACK], pageSize);
  const updates = withDecided(rowsOf(query), decisions.decided, UpdateStatus.TAKEN_BACK).toSorted(
    (one, other) => createdMs(other) - createdMs(one),
  );
  const equipment = useEquipmentById(updates);
  const acts = useActs(decisions, equipment);
  useFocusedRow(focused);
  if (updates.length === 0 && !query.error) return null;
  return (
    <div className="mt-5">
      <Card flush title={t("review.takenBack.title")} description={t("review.takenBack.text")}>
        {query.error && (
          <div className="px-4 pb-4 md:px-5">
            <ErrorPanel
              title={t("review.takenBack.failed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          </div>
        )}
        <DecidedStatus {...{ updates, equipment }} decided={decisions.decided} />
        <ul
          aria-label={t("review.takenBack.title")}
          className="@container divide-y divide-line border-t border-line empty:hidden"
        >
          {updates.map((update) => (
            <li key={update.id}>
              <NamedUpdate
                // A decided one keeps its flags; it may have changed the meter itself.
                update={decisions.decided.has(update.id) ? update : withFlags(update, equipment)}
                equipment={equipment}
                decisions={decisions}
                acts={acts}
                blocked={blocked}
              />
            </li>
          ))}
        </ul>
        <MoreButton query={query} />
        <Questions acts={acts} equipment={equipment} decisions={decisions} />
      </Card>
    </div>
  );
}

/** The server flags waiting updates only; a voided typing error must not be applied unseen. */
function withFlags(update: OperatorUpdate, equipment: EquipmentById): OperatorUpdate {
  const item = equipment?.get(update.equipmentId);
  if (!item) return update;
  const { flags } = checkReading(checkedMeter(item), checkedEntry(update));
  return {
    ...update,
    flags: [...new Set([...update.flags, ...flags])],
    belowCurrent: update.belowCurrent || flags.includes("below_meter"),
  };
}

function createdMs({ createdAt }: OperatorUpdate): number {
  return createdAt ? timestampMs(createdAt) : 0;
}
