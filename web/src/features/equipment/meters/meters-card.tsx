import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  MeterChange,
  type MeterSegment,
  type MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { meterDifference } from "#/shared/words/meter-text";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { useSegments } from "./queries";
import { useSeveralMeters } from "./several-meters";

/** The meters of a machine, newest first; renders nothing while it has its first one. */
export function MetersCard({
  equipmentId,
  unit,
  retired = false,
}: {
  equipmentId: string;
  unit: MeterUnit;
  retired?: boolean;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const several = useSeveralMeters();
  const { data, error, isFetching, refetch } = useSegments(equipmentId);
  const segments = data?.segments ?? [];
  if (!several || (!error && segments.length === 0)) return null;
  return (
    <Card
      flush
      title={t("equipment-meters.card.title")}
      description={t("equipment-meters.card.text")}
    >
      {error && segments.length === 0 ? (
        <div className="border-t border-line p-4">
          <ErrorPanel
            title={t("equipment-meters.card.failed")}
            reason={errorText(error)}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        </div>
      ) : (
        <ul
          aria-label={t("equipment-meters.card.title")}
          className="divide-y divide-line border-t border-line"
        >
          {segments.map((segment) => (
            <Segment key={segment.number} segment={segment} unit={unit} retired={retired} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Segment({
  segment,
  unit,
  retired,
}: {
  segment: MeterSegment;
  unit: MeterUnit;
  retired: boolean;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  const { startReading, endReading, startUsage, endUsage } = segment;
  const isLast = segment.endedBy === MeterChange.UNSPECIFIED;
  const inUse = isLast && !retired;
  return (
    <li className="px-4 py-3.5 md:px-5">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="font-semibold">
          {t("equipment-meters.card.number", { number: format.number(segment.number) })}
        </span>
        {inUse && <Badge tone="accent">{t("equipment-meters.card.inUse")}</Badge>}
        <span className="text-sm text-muted">
          <Period segment={segment} />
        </span>
      </p>
      <dl className="mt-2 grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3">
        <Fact term={t("equipment-meters.card.readings")}>
          {format.number(startReading)} → {text.amount(endReading, unit)}
        </Fact>
        <Fact term={t("equipment-meters.card.counted")}>
          {text.amount(meterDifference(startUsage, endUsage), unit)}
        </Fact>
        <Fact
          term={inUse ? t("equipment-meters.card.lifeNow") : t("equipment-meters.card.lifeThen")}
        >
          {text.amount(endUsage, unit)}
        </Fact>
      </dl>
      {!isLast && (
        <p className="mt-2 text-sm text-muted">
          {segment.endedBy === MeterChange.ROLLED_OVER
            ? t("equipment-meters.card.rolledOver", { name: segment.endedByName })
            : t("equipment-meters.card.replaced", { name: segment.endedByName })}
        </p>
      )}
    </li>
  );
}

function Period({ segment: { startedAt, endedAt } }: { segment: MeterSegment }) {
  const { t } = useTranslation();
  const format = useFormat();
  const from = startedAt ? format.instantDay(timestampDate(startedAt)) : "";
  return endedAt
    ? t("equipment-meters.card.fromTo", { from, to: format.instantDay(timestampDate(endedAt)) })
    : t("equipment-meters.card.since", { from });
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
