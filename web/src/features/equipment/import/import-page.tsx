import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { LimitNotice } from "#/shared/plans/limit-notice";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { PageHeader } from "#/shared/ui/page-header";
import { Checkbox } from "#/shared/ui/toggle";
import { useLimitText } from "#/shared/words/use-limit-text";
import { machinesQuery } from "../table/all-pages";
import { checkRows, type Defaults } from "./check-rows";
import { excludes, findHeadings, matchColumns, type ImportField } from "./columns";
import { ColumnsCard, DefaultsChoice } from "./columns-card";
import { Preview, rowStates, type ImportRow, type RowState } from "./preview";
import { maxRows, readSheet, type Line } from "./read-sheet";
import { SheetCard } from "./sheet-card";
import { useImport } from "./use-import";

const noLines: readonly Line[] = [];
const noneExisting: readonly Equipment[] = [];

/** Adds many machines from pasted cells or a file, after a preview. */
export function ImportPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const transport = useTransport();
  const metric = useSession()?.fuelUnit === "litres";
  const existing = useQuery(machinesQuery(transport, {}));
  const { run, stop, progress, added, failed, forgetFailures } = useImport();
  const locked = progress !== null;
  const sheet = useSheet(forgetFailures, metric);
  const { lines, rows: rowLines, headings, fields, defaults } = sheet;
  const tooMany = rowLines.length > maxRows;
  const checked = useMemo(
    () =>
      checkRows({
        lines: tooMany ? noLines : rowLines,
        headings,
        fields,
        defaults,
        metric,
        existing: existing.data ?? noneExisting,
      }),
    [tooMany, rowLines, headings, fields, defaults, metric, existing.data],
  );
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const onChoose = useCallback(
    (id: string, on: boolean) => setChoices((last) => new Map(last).set(id, on)),
    [],
  );
  const rows = checked.map((row): ImportRow => {
    const state = added.has(row.id)
      ? "added"
      : row.problems.size > 0
        ? "error"
        : failed.has(row.id)
          ? "failed"
          : row.duplicates.size > 0
            ? "duplicate"
            : "ready";
    const isOpen = state !== "added" && state !== "error";
    const chosen = isOpen && (choices.get(row.id) ?? state !== "duplicate");
    // An added machine has the row's own unit number.
    const problems = state === "added" ? new Map() : row.problems;
    return { ...row, problems, state, chosen, failure: failed.get(row.id) };
  });
  const chosen = rows.filter((row) => row.chosen);
  const limit = useRoom(chosen.length);
  const [onlyProblems, setOnlyProblems] = useState(false);
  const shown = onlyProblems
    ? rows.filter(
        ({ state, leftOut }) => state !== "added" && (state !== "ready" || leftOut.length > 0),
      )
    : rows;
  const left = rows.filter((row) => row.chosen || row.state === "error" || row.state === "failed");
  const isAdded = rows.some(({ state }) => state === "added");
  const sheetError = tooMany
    ? t("equipment-import.errors.tooManyRows", {
        rows: format.number(rowLines.length),
        max: format.number(maxRows),
      })
    : lines.length > 0 && rowLines.length === 0
      ? t("equipment-import.errors.onlyHeadings")
      : undefined;
  const selectFirst = (count: number) => {
    const kept = new Set(chosen.slice(0, count).map(({ id }) => id));
    setChoices(new Map(rows.map(({ id }) => [id, kept.has(id)])));
  };
  return (
    <>
      <LeaveGuard
        dirty={() => locked || left.length > 0 || (rows.length > 0 && !isAdded)}
        text={
          isAdded && !locked
            ? t("equipment-import.done.failedText", { count: left.length })
            : undefined
        }
      />
      <PageHeader title={t("equipment-import.title")} description={t("equipment-import.text")} />
      <div className="space-y-4">
        {rows.length === 0 && limit && <LimitNotice tone="info" text={limit.text} />}
        <SheetCard text={sheet.text} error={sheetError} locked={locked} onText={sheet.setText} />
        {rows.length > 0 && (
          <fieldset disabled={locked} className="min-w-0 space-y-4">
            <ColumnsCard
              columns={sheet.columns}
              fields={fields}
              headingsRow={sheet.headingsRow}
              hasHeadings={sheet.hasHeadings}
              onHeadings={sheet.setHeadings}
              onField={sheet.setField}
            />
            <DefaultsChoice
              defaults={defaults}
              needed={{
                type: defaults.type !== "" || rows.some((row) => row.values.type === ""),
                unit:
                  defaults.unit !== "" ||
                  rows.some((row) => row.values.unit === "" && row.values.type !== ""),
              }}
              onDefaults={sheet.setDefaults}
            />
          </fieldset>
        )}
        {rows.length > 0 && (
          <section aria-labelledby="preview" className="space-y-3">
            <h2 id="preview" className="sr-only">
              {t("equipment-import.preview")}
            </h2>
            {limit && !locked && (
              <div className="space-y-2">
                <LimitNotice tone="danger" text={limit.text} />
                {limit.room > 0 && (
                  <Button size="small" onClick={() => selectFirst(limit.room)}>
                    {t("equipment-import.limit.first", { count: limit.room })}
                  </Button>
                )}
              </div>
            )}
            {existing.error && <Notice>{t("equipment-import.existing.failed")}</Notice>}
            <div className="no-print sticky top-14 z-10 flex flex-wrap items-center gap-x-5 gap-y-2 rounded-card border border-line bg-raised px-4 py-2">
              <Summary rows={rows} progress={progress} />
              <OnlyProblems on={onlyProblems} onChange={setOnlyProblems} />
              <div className="ml-auto flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:grow">
                {isAdded && !locked && (
                  <Button asChild>
                    <Link to="/equipment-list">{t("equipment-import.done.open")}</Link>
                  </Button>
                )}
                {locked && <Button onClick={stop}>{t("equipment-import.submit.stop")}</Button>}
                {(locked || chosen.length > 0 || !isAdded) && (
                  <Button
                    variant="primary"
                    pending={locked}
                    pendingLabel={t("equipment-bulk.progress", progress ?? { done: 0, total: 0 })}
                    disabledReason={
                      existing.isPending
                        ? t("equipment-import.existing.loading")
                        : chosen.length === 0
                          ? t("equipment-import.submit.nothing")
                          : limit?.text
                    }
                    onClick={() => void run(chosen)}
                  >
                    {t("equipment-import.submit.add", { count: chosen.length })}
                  </Button>
                )}
              </div>
            </div>
            <Preview rows={shown} fields={fields} locked={locked} onChoose={onChoose} />
          </section>
        )}
      </div>
    </>
  );
}

/** The sheet, and what its columns contain. */
function useSheet(onChange: () => void, metric: boolean) {
  const [text, setText] = useState("");
  const [ownFields, setOwnFields] = useState<ReadonlyMap<number, ImportField | null>>(new Map());
  const [ownHeadings, setOwnHeadings] = useState<boolean | null>(null);
  const [defaults, setDefaults] = useState<Defaults>({ type: "", unit: "" });
  const lines = useMemo(() => readSheet(text), [text]);
  const found = useMemo(() => findHeadings(lines), [lines]);
  const hasHeadings = ownHeadings ?? found >= 0;
  const headingsAt = Math.max(found, 0);
  const { headings, rows, matched } = useMemo(() => {
    const width = Math.max(0, ...lines.map(({ cells }) => cells.length));
    const cells = hasHeadings ? (lines[headingsAt]?.cells ?? []) : [];
    const below = hasHeadings ? lines.slice(headingsAt + 1) : lines;
    const all = Array.from({ length: width }, (_, at) => cells[at] ?? "");
    return { headings: all, rows: below, matched: matchColumns(all, below, metric) };
  }, [lines, hasHeadings, headingsAt, metric]);
  const fields = useMemo(
    () => matched.map((field, at) => (ownFields.has(at) ? (ownFields.get(at) ?? null) : field)),
    [matched, ownFields],
  );
  const columns = useMemo(
    () =>
      headings.map((heading, at) => ({
        id: `column ${at}`,
        heading,
        example: rows.map(({ cells }) => cells[at]).find(Boolean) ?? "",
      })),
    [headings, rows],
  );
  return {
    text,
    lines,
    headings,
    rows,
    fields,
    columns,
    hasHeadings,
    headingsRow: lines[headingsAt]?.number ?? 1,
    defaults,
    setText: (next: string) => {
      setText(next);
      const [first] = readSheet(next);
      // A corrected sheet keeps what was chosen for its columns.
      if (first?.cells.join("\t") !== lines[0]?.cells.join("\t")) {
        setOwnFields(new Map());
        setOwnHeadings(null);
      }
      onChange();
    },
    setHeadings: (on: boolean) => {
      setOwnHeadings(on);
      setOwnFields(new Map());
      onChange();
    },
    /** A field belongs to one column, except readings of several meters. */
    setField: (column: number, field: ImportField | null) => {
      const next = new Map(ownFields).set(column, field);
      fields.forEach((other, at) => {
        const isTaken =
          other === field && excludes(field, headings[column] ?? "", headings[at] ?? "", metric);
        if (at !== column && isTaken) next.set(at, null);
      });
      setOwnFields(next);
      onChange();
    },
    setDefaults: (next: Defaults) => {
      setDefaults(next);
      onChange();
    },
  };
}

/** What the plan leaves, if that is less than `wanted`. */
function useRoom(wanted: number): { room: number; text: string } | undefined {
  const { t } = useTranslation();
  const summary = useQuery(equipmentSummaryQuery(useTransport())).data;
  const full = useLimitText(summary);
  if (full !== undefined) return { room: 0, text: full };
  if (!summary || summary.equipmentLimit < 0) return undefined;
  const room = summary.equipmentLimit - summary.total;
  if (wanted <= room) return undefined;
  return { room, text: t("equipment-import.limit.room", { count: room, chosen: wanted }) };
}

/** "38 ready · 2 with errors · 1 possible duplicate" */
function Summary({
  rows,
  progress,
}: {
  rows: readonly ImportRow[];
  progress: { done: number; total: number } | null;
}) {
  const { t } = useTranslation();
  const text = (state: RowState, count: number): string => {
    switch (state) {
      case "ready":
        return t("equipment-import.counts.ready", { count });
      case "failed":
        return t("equipment-import.counts.failed", { count });
      case "error":
        return t("equipment-import.counts.error", { count });
      case "duplicate":
        return t("equipment-import.counts.duplicate", { count });
      case "added":
        return t("equipment-import.counts.added", { count });
    }
  };
  const counts = rowStates
    .map((state) => ({ state, count: rows.filter((row) => row.state === state).length }))
    .filter(({ count }) => count > 0);
  return (
    <p role="status" className="min-w-0 font-semibold">
      {/* The button counts while rows are being added. */}
      {progress === null && counts.map(({ state, count }) => text(state, count)).join(" · ")}
    </p>
  );
}

function OnlyProblems({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="flex min-h-11 items-center gap-2.5 desk:min-h-8">
      <Checkbox id={id} checked={on} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id} className="cursor-pointer py-1">
        {t("equipment-import.problems.only")}
      </label>
    </div>
  );
}
