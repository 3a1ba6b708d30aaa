import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ArrowRight, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { onDial } from "#/domain/dial";
import { afterMeterEnd, type MeterEnd } from "#/domain/meter-end";
import { unitWord } from "#/domain/equipment-wire";
import { nextServiceAt } from "#/domain/next-service";
import { checkReading } from "#/domain/reading-check";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";

type Way = "replaced" | "rolledOver";

/** Previews dial, life-to-date usage and next service after a replaced or rolled-over meter. */
export function MeterEndPreview({
  equipment,
  way,
  end,
  at,
}: {
  equipment: Equipment;
  way: Way;
  end: MeterEnd | null;
  /** When it happened. */
  at: Date;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  const { unit } = equipment;
  const after = end && afterMeterEnd(equipment, end);
  const dueAt = equipment.urgentTask?.nextDueUsage ?? nextServiceAt(equipment);
  return (
    <section
      aria-label={t("equipment-meters.replace.preview")}
      className="rounded-card border border-line bg-sunken px-4 py-3"
    >
      <dl aria-live="polite" className="grid gap-x-4 gap-y-2.5 sm:grid-cols-2">
        <Fact term={t("equipment-meters.replace.dial")}>
          {after ? (
            <>
              {format.number(equipment.meterReading)} <Arrow />{" "}
              {text.amount(after.meterReading, unit)}
            </>
          ) : (
            none
          )}
        </Fact>
        <Fact term={t("equipment-meters.life")}>
          {after ? <Life before={equipment} after={after.currentUsage} /> : none}
        </Fact>
        {dueAt !== undefined && (
          <Fact wide term={t("equipment-detail.header.nextService")}>
            {after ? (
              <Due
                way={way}
                life={after.currentUsage}
                at={onDial(after, dueAt)}
                dueAt={dueAt}
                unit={unit}
              />
            ) : (
              none
            )}
          </Fact>
        )}
      </dl>
      {after && (
        <Jump equipment={equipment} counted={after.currentUsage - equipment.currentUsage} at={at} />
      )}
    </section>
  );
}

/** Warns like a reading far above the last one: an extra digit would count permanently. */
function Jump({ equipment, counted, at }: { equipment: Equipment; counted: number; at: Date }) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  const { unit, meterReading, meterReadAt, usualDailyUse } = equipment;
  const readAt = meterReadAt ? timestampDate(meterReadAt) : null;
  const { flags } = checkReading(
    {
      unit: unitWord(unit),
      meterReading,
      meterReadAt: readAt,
      usualDailyUse: usualDailyUse ?? null,
      usualFill: null,
    },
    { reading: meterReading + counted, fuelAdded: 0, capturedAt: at, repeatedSecondsAgo: null },
  );
  if (!flags.includes("jump") || !readAt) return null;
  return (
    <p
      role="status"
      className="mt-2.5 flex gap-2 border-t border-line pt-2.5 text-sm font-semibold"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {t("equipment-meters.replace.jump", {
        amount: text.difference(0, counted, unit),
        date: format.instantDay(readAt),
      })}
    </p>
  );
}

const none = "–";

/** "4,824.5 h, unchanged", or the value before and after. */
function Life({ before, after }: { before: Equipment; after: number }) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  const { currentUsage, unit } = before;
  if (after === currentUsage) {
    return t("equipment-meters.replace.stays", { amount: text.amount(after, unit) });
  }
  return (
    <>
      {format.number(currentUsage)} <Arrow /> {text.amount(after, unit)}{" "}
      <span className="font-normal whitespace-nowrap text-muted">
        ({text.difference(currentUsage, after, unit)})
      </span>
    </>
  );
}

function Due({
  way,
  life,
  at,
  dueAt,
  unit,
}: {
  way: Way;
  life: number;
  at: number;
  dueAt: number;
  unit: Equipment["unit"];
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const left = Math.round((dueAt - life) * 100) / 100;
  if (left <= 0) {
    return t("equipment-meters.replace.overdue", { amount: text.amount(-left, unit) });
  }
  return (
    <>
      {way === "replaced"
        ? t("equipment-meters.replace.dueAt", { amount: text.amount(at, unit) })
        : t("equipment-meters.replace.dueAtAgain", { amount: text.amount(at, unit) })}{" "}
      <span className="font-normal whitespace-nowrap text-muted">
        {t("equipment-meters.replace.left", { amount: text.amount(left, unit) })}
      </span>
    </>
  );
}

function Fact({
  term,
  wide = false,
  children,
}: {
  term: string;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={wide ? "sm:col-span-2" : undefined}>
      <dt className="text-sm text-muted">{term}</dt>
      <dd className="font-semibold">{children}</dd>
    </div>
  );
}

function Arrow() {
  return <ArrowRight aria-hidden className="inline size-3.5 text-muted" />;
}
