import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { severityIn } from "#/shared/severity";
import { useUpdateText } from "#/shared/words/update-text";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useSegments } from "../meters/queries";
import { useSeveralMeters } from "../meters/several-meters";
import { useDialText } from "../meters/use-dial-text";
import { ReadingAge } from "../table/reading-age";
import { ServiceBadges } from "../table/service-badges";
import { ServiceNotes } from "../table/snooze-lines";
import { statusOf } from "../table/shown-status";
import { useForecastText } from "../table/forecast-text";
import { isByDate, nextDue } from "./next-due";
import { hasServicePlan } from "./service-plan";
import { OperationalMenu } from "./operational-menu";
import { snoozeOf } from "./snoozed";
import { ServiceBar, WideBar } from "./wide-bar";

export function DetailHeader({ equipment, actions }: { equipment: Equipment; actions: ReactNode }) {
  const { status } = statusOf(equipment);
  return (
    <header className="rounded-card border border-line bg-raised">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 p-4 md:p-5">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h1 tabIndex={-1} className="min-w-0 text-title font-[650]">
              {equipment.name}
            </h1>
            <ServiceBadges
              equipment={equipment}
              status={status}
              operational={<OperationalMenu equipment={equipment} />}
            />
          </div>
          <Identity {...equipment} />
          <ServiceNotes equipment={equipment} />
        </div>
        {actions}
      </div>
      <dl className="grid border-t border-line max-md:divide-y md:grid-cols-3 md:divide-x divide-line">
        <MeterFigure equipment={equipment} />
        <ServiceFigure equipment={equipment} />
        <LifespanFigure equipment={equipment} />
      </dl>
    </header>
  );
}

/** "EX-7 Machinery · Diesel · Crew North CAT0320EKZZ" */
export function Identity({
  type,
  fuel,
  unitNumber,
  group,
  serialNumber,
}: Pick<Equipment, "type" | "fuel" | "unitNumber" | "group" | "serialNumber">) {
  const labels = useEquipmentLabels();
  const fuelWord = equipmentFuelWord(fuel);
  const fuelLabel = fuelWord === "n/a" ? [] : [labels.fuel(fuelWord)];
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-3 text-muted">
      <span>
        <UnitNumber number={unitNumber} />
        {[labels.type(typeWord(type)), ...fuelLabel, group].filter(Boolean).join(" · ")}
      </span>
      {serialNumber && <span className="min-w-0 font-mono wrap-anywhere">{serialNumber}</span>}
    </p>
  );
}

export function Figure({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0 px-4 py-3.5 md:px-5 md:py-4">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="mt-1 space-y-1.5">{children}</dd>
    </div>
  );
}

function MeterFigure({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const dial = useDialText();
  const format = useFormat();
  return (
    <Figure label={t("equipment-detail.header.meter")}>
      <p className="text-figure font-semibold">{dial.reading(equipment)}</p>
      <ReadingAge equipment={equipment} />
      <LifeToDate equipment={equipment} />
      {equipment.lastUpdated && (
        <p className="text-sm text-muted">
          {t("equipment-detail.header.updated", {
            date: format.instantDay(timestampDate(equipment.lastUpdated)),
          })}
        </p>
      )}
    </Figure>
  );
}

/** "Life-to-date 4,824.5 h (2 meters)"; omitted while it equals the dial. */
function LifeToDate({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const several = useSeveralMeters();
  const count = useSegments(equipment.id).data?.segments.length;
  if (!several) return null;
  const amount = text.amount(equipment.currentUsage, equipment.unit);
  return (
    <p className="text-sm text-muted">
      {count === undefined
        ? t("equipment-meters.header.life", { amount })
        : t("equipment-meters.header.lifeOfMeters", { amount, count })}
    </p>
  );
}

function ServiceFigure({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const today = useCompanyDay();
  const next = nextDue(equipment, today);
  const usage = next?.due && labels.due(next.due, unitWord(equipment.unit));
  const schedule = next?.schedule && labels.schedule(next.schedule.days, next.schedule.date);
  // The limit that is reached first.
  const byDate = next && isByDate(next, equipment);
  // The figure names one of the additional tasks; the form's is another one if it has a plan.
  const isFormNamed = !equipment.urgentTask;
  const others = equipment.moreTasks - (isFormNamed || hasServicePlan(equipment) ? 0 : 1);
  const limits = (byDate ? [schedule, usage] : [usage, schedule]).filter((limit) => limit != null);
  return (
    <Figure
      label={
        next
          ? t("equipment-detail.header.nextTask", {
              task: next.taskName ?? t("equipment-detail.tasks.regular"),
            })
          : t("equipment-detail.header.nextService")
      }
    >
      {next ? (
        <>
          {limits.map((limit, index) => (
            <p
              key={limit}
              className={clsx(
                "first-letter:uppercase",
                index === 0 ? "text-lg font-semibold" : "text-sm text-muted",
              )}
            >
              {limit}
            </p>
          ))}
          {next.due && next.percent !== null && (
            <ServiceBar percent={next.percent} severity={severityIn(equipment, next.due.status)} />
          )}
          <Forecast equipment={equipment} today={today} />
          {others > 0 && (
            <Link
              to="/equipment/item/$id"
              params={{ id: equipment.id }}
              search={{ tab: "service" }}
              resetScroll={false}
              className="block w-fit rounded-control text-sm font-semibold text-accent hover:underline"
            >
              {t("equipment-detail.header.moreTasks", { count: others })}
            </Link>
          )}
        </>
      ) : (
        <p className="text-lg text-muted">{labels.noDue(equipment)}</p>
      )}
    </Figure>
  );
}

/** "in about 9 days, Dec 9", and how sure that is, or "Snoozed until Dec 9". */
function Forecast({ equipment, today }: { equipment: Equipment; today: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = useForecastText()(equipment, today);
  const { projectedDueEarliest: from, projectedDueLatest: to } = equipment;
  if (!text) return null;
  return (
    <p className="text-sm text-muted">
      <span className="block font-semibold text-ink first-letter:uppercase">{text}</span>
      {!snoozeOf(equipment) &&
        (from === to
          ? t("equipment-detail.header.basis")
          : t("equipment-detail.header.range", {
              from: format.shortDate(from, today),
              to: format.shortDate(to, today),
            }))}
    </p>
  );
}

function LifespanFigure({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const { threshold, lifespanPercent, lifespanAlert, alertThreshold } = equipment;
  return (
    <Figure label={t("equipment-form.fields.preview.lifespan")}>
      {threshold === undefined || lifespanPercent === undefined ? (
        <p className="text-lg text-muted">{t("equipment.columns.noThreshold")}</p>
      ) : (
        <>
          <p className="text-lg font-semibold">
            {t("equipment-detail.header.lifespanUsed", {
              percent: format.percent(lifespanPercent),
            })}
          </p>
          <WideBar percent={lifespanPercent} />
          <p className="text-sm text-muted">
            {t("equipment-detail.header.lifespanOf", {
              used: format.number(equipment.currentUsage),
              whole: labels.amount(threshold, unitWord(equipment.unit)),
            })}
          </p>
          {lifespanAlert && (
            <p className="flex gap-1.5 text-sm font-semibold">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              {t("equipment-detail.header.lifespanAlert", {
                percent: format.percent(100 - alertThreshold),
              })}
            </p>
          )}
        </>
      )}
    </Figure>
  );
}
