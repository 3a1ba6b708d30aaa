import { Search, Tractor } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { filterEquipment } from "#/domain/equipment-filter";
import { inputClass } from "#/shared/form/field-frame";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Sheet } from "#/shared/ui/sheet";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { EquipmentRow } from "./equipment-row";
import type { useEquipment } from "./queries";

interface Props {
  query: ReturnType<typeof useEquipment>;
  recent: readonly Equipment[];
  chosenId: string;
  onChoose: (equipment: Equipment) => void;
}

export function EquipmentSheet({
  open,
  onOpenChange,
  ...rest
}: Props & { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  return (
    <Sheet
      side="bottom"
      open={open}
      onOpenChange={onOpenChange}
      title={t("operator.picker.choose")}
    >
      <Picker {...rest} />
    </Sheet>
  );
}

/** Lives only while the sheet is open, so each opening starts with an empty search. */
function Picker({ query, recent, chosenId, onChoose }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const searchId = useId();
  const [search, setSearch] = useState("");

  if (!query.data) {
    if (!query.error) return <SkeletonRows label={t("common.loading")} />;
    return (
      <div className="p-4">
        <ErrorPanel
          title={t("operator.picker.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      </div>
    );
  }
  const { equipment } = query.data;
  if (equipment.length === 0) {
    return (
      <Empty
        icon={<Tractor aria-hidden />}
        title={t("operator.picker.none")}
        description={t("operator.picker.noneText")}
      />
    );
  }
  const searching = search.trim() !== "";
  const matches = filterEquipment(equipment, { search });
  const group = (title: string, rows: readonly Equipment[]) => (
    <section className="px-2 pb-3">
      <h3 className="px-2 pt-3 pb-1 text-sm font-semibold text-muted">{title}</h3>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <EquipmentRow equipment={row} chosen={row.id === chosenId} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </section>
  );
  return (
    <>
      <div className="sticky top-0 z-10 border-b border-line bg-raised px-4 py-3">
        <label htmlFor={searchId} className="sr-only">
          {t("operator.picker.search")}
        </label>
        <div className="relative">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-3.5 size-5 -translate-y-1/2 text-muted"
          />
          <input
            id={searchId}
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            placeholder={t("operator.picker.searchHint")}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className={`${inputClass} pl-11`}
          />
        </div>
      </div>
      {searching && matches.length === 0 ? (
        <Empty
          title={t("operator.picker.noMatch")}
          description={t("operator.picker.noMatchText", { search: search.trim() })}
          action={<Button onClick={() => setSearch("")}>{t("operator.picker.clear")}</Button>}
        />
      ) : searching ? (
        group(t("operator.picker.matches"), matches)
      ) : (
        <>
          {recent.length > 0 && group(t("operator.picker.recent"), recent)}
          {group(t("operator.picker.all"), equipment)}
        </>
      )}
    </>
  );
}
