import { Search, Tractor } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { inputClass } from "#/shared/form/field-frame";
import { isCovered, isTyping } from "#/shared/keys/use-keys";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Sheet } from "#/shared/ui/sheet";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { EquipmentRow } from "./equipment-row";
import { findMachines } from "#/domain/find-machines";
import { LongList, type ListItem } from "./long-list";
import type { FieldMachine } from "../offline-data/machines";
import { useCloseByBack } from "../use-close-by-back";
import type { OperatorPageState } from "../use-operator-page";

interface Props {
  page: OperatorPageState;
  chosenId: string;
  onChoose: (machine: FieldMachine) => void;
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
  const search = useEffectEvent(() => onOpenChange(true));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isSearch = event.ctrlKey || event.metaKey ? event.key === "k" : isSlash(event);
      if (!isSearch || isCovered()) return;
      event.preventDefault();
      search();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
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

/** A slash that is not typed into a field. */
const isSlash = ({ key, target }: KeyboardEvent): boolean => key === "/" && !isTyping(target);

/** Mounted only while the sheet is open, so that each opening starts with an empty search. */
function Picker({ page, chosenId, onChoose }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const [search, setSearch] = useState("");
  const { machines, state, error, refreshing, refetch } = page.list;

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
  if (machines.length === 0) {
    return (
      <Empty
        icon={<Tractor aria-hidden />}
        title={t("operator.picker.none")}
        description={t("operator.picker.noneText")}
      />
    );
  }
  const searching = search.trim() !== "";
  const numbered = ({ length }: readonly FieldMachine[]) => ({
    count: length,
    number: format.number(length),
  });
  const matches = searching ? findMachines(machines, search) : [];
  const group = (name: string, title: string, members: readonly FieldMachine[]): ListItem[] => [
    { kind: "title", key: name, title },
    ...members.map((machine) => ({
      kind: "row" as const,
      key: `${name} ${machine.equipmentId}`,
      machine,
    })),
  ];
  const items = searching
    ? group("matches", t("operator.picker.matches", numbered(matches)), matches)
    : [
        ...(page.quickMachines.length > 0 && page.quickMachines.length < machines.length
          ? group("at hand", t("operator.picker.atHand"), page.quickMachines)
          : []),
        ...group(
          "all",
          t("operator.picker.all", { number: format.number(machines.length) }),
          machines,
        ),
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
          // Each search starts at the top of the list.
          key={search}
          items={items}
          renderRow={(machine) => (
            <EquipmentRow
              machine={machine}
              last={page.lastOf(machine)}
              chosen={machine.equipmentId === chosenId}
              pinned={page.isPinned(machine.equipmentId)}
              onChoose={() => onChoose(machine)}
              onPin={() => page.togglePin(machine.equipmentId)}
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
  // On phones the on-screen keyboard would hide the list.
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
