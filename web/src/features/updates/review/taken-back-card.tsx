import { useTranslation } from "react-i18next";
import { useQuery } from "@connectrpc/connect-query";
import {
  OperatorUpdatesService,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Card } from "#/shared/ui/card";
import { policy } from "../pending";
import { useEquipmentById } from "../queries";
import type { Decisions } from "../use-decisions";
import { NamedEntry } from "./named-entry";
import { Questions, useActs } from "./questions";

const first = 20;

/** Updates whose entries were voided: they can be applied again with another value. */
export function TakenBackCard({
  decisions,
  blocked,
}: {
  decisions: Decisions;
  blocked: string | undefined;
}) {
  const { t } = useTranslation();
  const { data } = useQuery(
    OperatorUpdatesService.method.listUpdates,
    { statuses: [UpdateStatus.TAKEN_BACK], page: { limit: first } },
    policy,
  );
  const updates = data?.updates ?? [];
  const equipment = useEquipmentById(updates);
  const acts = useActs(decisions);
  if (updates.length === 0) return null;
  return (
    <div className="mt-5">
      <Card flush title={t("review.takenBack.title")} description={t("review.takenBack.text")}>
        <ul
          aria-label={t("review.takenBack.title")}
          className="@container divide-y divide-line border-t border-line"
        >
          {updates.map((update) => (
            <li key={update.id}>
              <NamedEntry
                update={update}
                equipment={equipment}
                decisions={decisions}
                acts={acts}
                blocked={blocked}
              />
            </li>
          ))}
        </ul>
        <Questions acts={acts} equipment={equipment} decisions={decisions} />
      </Card>
    </div>
  );
}
