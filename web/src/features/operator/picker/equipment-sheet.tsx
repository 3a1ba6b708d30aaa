import { Search, Tractor } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { inputClass } from "#/shared/form/field-frame";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Sheet } from "#/shared/ui/sheet";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { EquipmentRow } from "./equipment-row";
import { findMachines } from "./find-machines";
import { LongList, type ListItem } from "./long-list";
import type { FieldMeter } from "../offline-data/meters";
import { useCloseByBack } from "../use-close-by-back";
import type { Desk } from "../use-desk";

interface Props {
  desk: Desk;
  chosenId: string;
  onChoose: (meter: FieldMeter) => void;
}

export function EquipmentSheet({
  open,
  onOpenChange,
  focusAfter,
  ...rest
}: Props & {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  focusAfter: () => HTMLElement | null;
}) {
  const { t } = useTranslation();
  useCloseByBack(open, () => onOpenChange(false));
  return (
    <Sheet
      side="bottom"
      open={open}
      onOpenChange={onOpenChange}
      title={t("operator.picker.choose")}
      focusAfter={focusAfter}
    >
      <Picker {...rest} />
    </Sheet>
  );
}

/** Lives only while the sheet is open, so each opening starts with an empty search. */
function Picker({ desk, chosenId, onChoose }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const [search, setSearch] = useState("");
  const { meters, state, error, refreshing, refetch } = desk.list;

  if (state === "loading") return <SkeletonRows label={t("common.loading")} />;
  if (state === "failed") {
    return (
      <div className="p-4">
        <ErrorPanel
          title={t("operator.picker.loadFailed")}
          reason={errorText(error)}
          onRetry={refetch}
          retrying={refreshing}
        />
      </div>
    );
  }
  if (meters.length === 0) {
    return (
      <Empty
        icon={<Tractor aria-hidden />}
        title={t("operator.picker.none")}
        description={t("operator.picker.noneText")}
      />
    );
  }
  const searching = search.trim() !== "";
  const numbered = ({ length }: readonly FieldMeter[]) => ({
    count: length,
    number: format.number(length),
  });
  const matches = searching ? findMachines(meters, search) : [];
  const group = (name: string, title: string, machines: readonly FieldMeter[]): ListItem[] => [
    { kind: "title", key: name, title },
    ...machines.map((meter) => ({
      kind: "row" as const,
      key: `${name} ${meter.equipmentId}`,
      meter,
    })),
  ];
  const items = searching
    ? group("matches", t("operator.picker.matches", numbered(matches)), matches)
    : [
        ...(desk.atHand.length > 0
          ? group("at hand", t("operator.picker.atHand"), desk.atHand)
          : []),
        ...group("all", t("operator.picker.all", { number: format.number(meters.length) }), meters),
      ];
  return (
    <>
      <SearchField value={search} onChange={setSearch} />
      {searching && matches.length === 0 ? (
        <Empty
          title={t("operator.picker.noMatch")}
          description={t("operator.picker.noMatchText", { search: search.trim() })}
          action={<Button onClick={() => setSearch("")}>{t("operator.picker.clear")}</Button>}
        />
      ) : (
        <LongList
          // What is found begins at the top, wherever the list stood before.
          key={search}
          items={items}
          renderRow={(meter) => (
            <EquipmentRow
              meter={meter}
              last={desk.lastOf(meter)}
              chosen={meter.equipmentId === chosenId}
              pinned={desk.isPinned(meter.equipmentId)}
              onChoose={() => onChoose(meter)}
              onPin={() => desk.togglePin(meter.equipmentId)}
            />
          )}
        />
      )}
    </>
  );
}

function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  // With a keyboard at hand typing is the quickest; on a phone its keyboard would hide the list.
  useEffect(() => {
    if (window.matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, []);
  return (
    <div className="sticky top-0 z-10 border-b border-line bg-raised px-4 py-3">
      <label htmlFor={id} className="sr-only">
        {t("operator.picker.search")}
      </label>
      <div className="relative">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3.5 size-5 -translate-y-1/2 text-muted"
        />
        <input
          ref={input}
          id={id}
          type="search"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          placeholder={t("operator.picker.searchHint")}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="search"
          className={`${inputClass} pl-11`}
        />
      </div>
    </div>
  );
}
