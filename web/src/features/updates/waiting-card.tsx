import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { clsx } from "clsx";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { UpdateStatus } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useEquipmentById, useReviewQuery } from "./queries";
import { DecidedStatus } from "./review/decided-state";
import { NamedUpdate } from "./review/named-update";
import { Questions, useActs } from "./review/questions";
import { useBlocked } from "./review/use-blocked";
import { useMachines } from "./review/use-machines";
import { withDecided } from "./use-decided";
import { useDecisions } from "./use-decisions";

/** The number of updates on the dashboard; the review page lists all. */
const first = 4;
const waitingId = "waiting-for-review";

export function WaitingCard() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { query, review, updates } = useReviewQuery(first);
  const count = review?.pendingCount ?? 0;
  const decisions = useDecisions();
  const { decided } = decisions;
  const listed = useMemo(
    () => withDecided(updates, decided, UpdateStatus.PENDING),
    [updates, decided],
  );
  const equipment = useEquipmentById(listed);
  const acts = useActs(decisions, equipment);
  const blocked = useBlocked();
  const { machines, leaving } = useMachines(listed);
  const rows = machines.flatMap((machine) => machine.updates);
  return (
    <Card
      id={waitingId}
      flush
      title={t("review.queue.title")}
      description={count ? t("updates.badge", { count }) : t("review.queue.text")}
      actions={
        count > 0 && (
          <Button asChild size="small">
            <Link to="/review">
              {t("review.queue.reviewAll", { total: count })}
              <ArrowRight aria-hidden className="size-4" />
            </Link>
          </Button>
        )
      }
    >
      <DecidedStatus updates={listed} {...{ decided, equipment }} />
      {query.error && (
        <div className="px-4 pb-4 md:px-5">
          <ErrorPanel
            title={t("review.queue.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </div>
      )}
      {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
      {query.isSuccess && rows.length === 0 && (
        <Empty
          drawing="review"
          title={t("review.queue.empty")}
          description={t("review.queue.emptyText")}
        />
      )}
      {rows.length > 0 && (
        <ul
          aria-label={t("review.queue.title")}
          className="@container divide-y divide-line border-t border-line"
        >
          {rows.map((update) => (
            <li
              key={update.id}
              inert={leaving.has(update.id)}
              className={clsx(
                "grid transition-[grid-template-rows,opacity] duration-200 ease-out",
                leaving.has(update.id) ? "grid-rows-[0fr] opacity-0" : "grid-rows-[1fr]",
              )}
            >
              <div className={clsx("min-h-0 min-w-0", leaving.has(update.id) && "overflow-hidden")}>
                <NamedUpdate
                  update={update}
                  equipment={equipment}
                  decisions={decisions}
                  acts={acts}
                  blocked={blocked}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
      <Questions acts={acts} equipment={equipment} decisions={decisions} />
    </Card>
  );
}
