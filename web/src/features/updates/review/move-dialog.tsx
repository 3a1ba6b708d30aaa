import { clsx } from "clsx";
import { Check } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment, Meter } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { equipmentFuelWord, fuelKindWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useNotesText } from "#/shared/words/replaced-note";
import { useUpdateText } from "#/shared/words/update-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { SearchInput } from "#/shared/ui/search-input";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { unitOf } from "../unit";
import type { Decisions } from "../use-decisions";
import { fitting, matchingFirst, mismatch, searched } from "./candidates";
import { useMeters } from "#/shared/use-meters";
import { UnitNumber } from "#/shared/ui/unit-number";

/** The maximum number of rows; the search finds the others. */
const maxShown = 50;

/** Moves an update to another machine. */
export function MoveDialog({
  update,
  equipment,
  decisions,
  onClose,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  decisions: Decisions;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { query, meters } = useMeters();
  const reported = useReported(update, equipment);
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<Meter | null>(null);
  const [failed, setFailed] = useState(false);
  const busy = decisions.isBusy(update.id);
  const waits = chosen !== null && waitsThere(chosen, update);
  const close = () => {
    if (!busy) onClose();
  };
  const submit = async () => {
    if (!chosen) return;
    setFailed(false);
    if (await decisions.move(update, chosen)) onClose();
    else setFailed(true);
  };
  return (
    <Dialog
      open
      onOpenChange={close}
      title={t("review.move.title")}
      description={t("review.move.text", {
        operator: update.operatorName,
        what: reported,
        name: update.reportedEquipmentName || update.equipmentName,
      })}
      footer={
        <>
          <Button onClick={close}>{t("common.cancel")}</Button>
          <Button
            variant="primary"
            onClick={() => void submit()}
            pending={busy}
            pendingLabel={t("review.move.pending")}
            disabledReason={chosen ? undefined : t("review.move.choose")}
          >
            {waits ? t("review.move.submitAnyway") : t("review.move.submit")}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <SearchInput label={t("review.move.search")} value={search} onChange={setSearch} />
        {query.error && !meters && (
          <ErrorPanel
            title={t("review.move.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        )}
        {!meters && !query.error && <SkeletonRows rows={5} label={t("common.loading")} />}
        {meters && (
          <Candidates
            meters={meters}
            update={update}
            search={search}
            chosen={chosen}
            onChoose={setChosen}
          />
        )}
        <div aria-live="polite">{chosen && <Effect update={update} meter={chosen} />}</div>
        {failed && (
          <Notice tone="danger">{decisions.problemOf(update.id) ?? t("errors.server")}</Notice>
        )}
      </div>
    </Dialog>
  );
}

function waitsThere(meter: Meter, update: OperatorUpdate): boolean {
  const { unit, fuel } = mismatch(meter, update);
  return unit || fuel;
}

function hasMeter({ unit }: Meter): boolean {
  return unitWord(unit) !== "n/a";
}

/** "4,812.5 hours, 12.0 gal diesel"; the notes if there is neither. */
function useReported(update: OperatorUpdate, equipment: Equipment | undefined): string {
  const { t } = useTranslation();
  const text = useUpdateText();
  const notesText = useNotesText();
  const parts: string[] = [];
  const unit = unitOf(update, equipment);
  if (update.newUsage !== undefined) parts.push(text.reading(update.newUsage, unit));
  if (update.usageIncrease !== undefined) {
    parts.push(text.difference(0, update.usageIncrease, unit));
  }
  if (update.fuelAdded > 0) {
    parts.push(text.fuel(update.fuelAdded, fuelKindWord(update.fuelKind), update.fullFill));
  }
  return parts.join(", ") || notesText(update.notes).slice(0, 80) || t("review.queue.noReading");
}

function Candidates({
  meters,
  update,
  search,
  chosen,
  onChoose,
}: {
  meters: readonly Meter[];
  update: OperatorUpdate;
  search: string;
  chosen: Meter | null;
  onChoose: (meter: Meter) => void;
}) {
  const { t } = useTranslation();
  const found = searched(meters, update, search);
  const searching = search.trim() !== "";
  const fits = searching ? [] : fitting(meters, update);
  if (found.length === 0) {
    return (
      <p className="py-6 text-center text-muted">
        {searching ? t("review.move.noMatch", { search: search.trim() }) : t("review.move.none")}
      </p>
    );
  }
  const group = (title: string, rows: readonly Meter[]) => (
    <fieldset>
      <legend className="px-2 pt-1 pb-1 text-sm font-semibold text-muted">{title}</legend>
      {rows.map((meter) => (
        <Candidate
          key={meter.equipmentId}
          meter={meter}
          update={update}
          checked={meter.equipmentId === chosen?.equipmentId}
          onChoose={() => onChoose(meter)}
        />
      ))}
    </fieldset>
  );
  const rest = found.filter((meter) => !fits.includes(meter));
  const others = matchingFirst(rest, update).slice(0, maxShown);
  return (
    <div className="max-h-[32dvh] md:max-h-[38dvh] space-y-2 overflow-y-auto rounded-card border border-line p-1.5">
      {fits.length > 0 && group(t("review.move.fits"), fits)}
      {others.length > 0 &&
        group(searching ? t("review.move.matches") : t("review.move.all"), others)}
    </div>
  );
}

function Candidate({
  meter,
  update,
  checked,
  onChoose,
}: {
  meter: Meter;
  update: OperatorUpdate;
  checked: boolean;
  onChoose: () => void;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const labels = useEquipmentLabels();
  const differs = mismatch(meter, update);
  return (
    <label
      className={clsx(
        "flex min-h-13 cursor-pointer items-center gap-3 rounded-control px-2 py-1.5 md:min-h-11",
        "has-focus-visible:outline-2 has-focus-visible:outline-accent",
        checked ? "bg-accent-soft" : "hover:bg-sunken",
      )}
    >
      <input
        type="radio"
        name="move-to"
        checked={checked}
        onChange={onChoose}
        className="sr-only"
      />
      <span className="min-w-0 flex-1">
        <span className="block leading-snug font-semibold">
          <UnitNumber number={meter.unitNumber} />
          {meter.name}
        </span>
        <span className="flex flex-wrap gap-x-2 text-sm text-muted">
          <span>{labels.type(typeWord(meter.type))}</span>
          {meter.serialNumber && <span className="font-mono">{meter.serialNumber}</span>}
        </span>
      </span>
      <span className="text-right text-sm">
        <span className="block text-muted">
          {!hasMeter(meter)
            ? t("review.move.noMeter")
            : meter.meterReadAt
              ? t("review.move.shows", { reading: text.reading(meter.meterReading, meter.unit) })
              : t("review.machine.neverRead")}
        </span>
        {update.newUsage !== undefined && meter.meterReadAt && !differs.unit && (
          <span className="block font-semibold">
            {text.difference(meter.meterReading, update.newUsage, meter.unit)}
          </span>
        )}
        {differs.unit && hasMeter(meter) && (
          <span className="block font-semibold">
            {t("review.move.countsIn", { unit: text.unitName(meter.unit) })}
          </span>
        )}
        {differs.fuel && (
          <span className="block font-semibold">
            {t("review.move.runsOn", {
              fuel: labels.fuel(equipmentFuelWord(meter.fuel)).toLocaleLowerCase(),
            })}
          </span>
        )}
      </span>
      <Check aria-hidden className={clsx("size-4 shrink-0 text-accent", !checked && "invisible")} />
    </label>
  );
}

function Effect({ update, meter }: { update: OperatorUpdate; meter: Meter }) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const labels = useEquipmentLabels();
  const differs = mismatch(meter, update);
  const { name } = meter;
  if (waitsThere(meter, update)) {
    return (
      <Notice>
        {differs.unit && (
          <span className="block font-semibold">
            {hasMeter(meter)
              ? t("review.move.otherUnit", { name, unit: text.unitName(meter.unit) })
              : t("review.move.noMeterThere", { name })}
          </span>
        )}
        {differs.fuel && (
          <span className="block font-semibold">
            {t("review.move.otherFuel", {
              name,
              fuel: labels.fuel(equipmentFuelWord(meter.fuel)).toLocaleLowerCase(),
            })}
          </span>
        )}
        {t("review.move.effectWaits", { name })}
      </Notice>
    );
  }
  return (
    <Notice>
      {update.newUsage === undefined || !meter.meterReadAt
        ? t("review.move.effect", { name })
        : t("review.move.effectReading", {
            name,
            shows: t("review.move.shows", {
              reading: text.reading(meter.meterReading, meter.unit),
            }),
            difference: text.difference(meter.meterReading, update.newUsage, meter.unit),
          })}
    </Notice>
  );
}
