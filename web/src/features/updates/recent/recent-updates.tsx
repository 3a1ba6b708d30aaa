import { CheckCheck } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { setPulseAlerts, usePulseAlerts } from "#/shared/pulse-alerts";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { Switch } from "#/shared/ui/toggle";
import { MoreButton } from "./more-button";
import { rowsOf, useEquipmentById, useRecentUpdates } from "../queries";
import { useDecisions } from "../use-decisions";
import { RecentRow } from "./recent-row";
import { useAcknowledgeAll } from "./use-acknowledge-all";

export function RecentUpdates() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useRecentUpdates();
  const pulse = usePulseAlerts();
  const switchId = useId();
  const rows = rowsOf(query);
  const equipment = useEquipmentById(rows);
  const decisions = useDecisions();
  const all = useAcknowledgeAll(decisions);
  const [taking, setTaking] = useState<OperatorUpdate | null>(null);
  const unseen = rows.filter((update) => update.status === UpdateStatus.RECENT).length;
  return (
    <Card
      flush
      title={t("review.recent.title")}
      description={t("review.recent.pulseHint")}
      actions={
        <div className="no-print flex min-h-11 items-center gap-2.5 desk:min-h-8">
          <Switch
            id={switchId}
            checked={pulse}
            onChange={(event) => setPulseAlerts(event.target.checked)}
          />
          <label htmlFor={switchId} className="cursor-pointer text-sm font-semibold">
            {t("review.recent.pulse")}
          </label>
        </div>
      }
    >
      {query.error && (
        <div className="px-4 pb-4 md:px-5">
          <ErrorPanel
            title={t("review.recent.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </div>
      )}
      {query.isPending && <SkeletonRows rows={4} label={t("common.loading")} />}
      {query.isSuccess && rows.length === 0 && (
        <Empty
          drawing="notes"
          title={t("review.recent.empty")}
          description={t("review.recent.emptyText")}
        />
      )}
      {unseen > 0 && (
        <div className="px-4 pb-4 md:px-5">
          <Button
            size="small"
            onClick={all.acknowledgeAll}
            pending={all.pending}
            pendingLabel={t("review.recent.acknowledging")}
          >
            <CheckCheck aria-hidden className="size-4" />
            {t("review.recent.acknowledgeAll")}
          </Button>
        </div>
      )}
      {rows.length > 0 && (
        <ul
          aria-label={t("review.recent.title")}
          className="divide-y divide-line border-t border-line"
        >
          {rows.map((update) => (
            <RecentRow
              key={update.id}
              update={update}
              equipment={equipment?.get(update.equipmentId)}
              pulse={pulse}
              busy={decisions.isBusy(update.id)}
              problem={decisions.problemOf(update.id)}
              onAcknowledge={() => void decisions.acknowledge(update)}
              onTakeBack={() => setTaking(update)}
            />
          ))}
        </ul>
      )}
      <MoreButton query={query} />
      {taking && (
        <TakeBackDialog update={taking} decisions={decisions} onClose={() => setTaking(null)} />
      )}
    </Card>
  );
}

const TakeBackDialog = dialogOnDemand(() =>
  import("../review/reject-dialog").then((module) => module.TakeBackDialog),
);
