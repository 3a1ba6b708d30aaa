import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { SearchInput } from "#/shared/ui/search-input";
import { Checkbox } from "#/shared/ui/toggle";
import { fullName } from "../queries";
import { manyOperators, searchOperators } from "../search";

/** Selects the operators; All and None apply to the search results. */
export function ChooseOperators({
  operators,
  chosen,
  onChange,
}: {
  operators: readonly Employee[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const [search, setSearch] = useState("");
  const shown = searchOperators(operators, search);
  const set = (ids: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    onChange(next);
  };
  const setShown = (on: boolean) =>
    set(
      shown.map((operator) => operator.id),
      on,
    );
  return (
    <fieldset className="space-y-2.5">
      <legend className="sr-only">{t("operators.cards.choose")}</legend>
      {operators.length > manyOperators && (
        <SearchInput label={t("operators.search")} value={search} onChange={setSearch} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-sm text-muted">
          {t("operators.cards.chosen", {
            count: operators.length,
            chosen: format.number(chosen.size),
          })}
        </p>
        <span className="flex gap-1">
          <Button size="small" variant="quiet" onClick={() => setShown(true)}>
            {t("operators.cards.all")}
          </Button>
          <Button size="small" variant="quiet" onClick={() => setShown(false)}>
            {t("operators.cards.none")}
          </Button>
        </span>
      </div>
      <ul className="max-h-60 md:max-h-[40dvh] divide-y divide-line overflow-y-auto rounded-(--control-radius) border border-line">
        {shown.map((operator) => (
          <Choice
            key={operator.id}
            operator={operator}
            checked={chosen.has(operator.id)}
            onChange={(on) => set([operator.id], on)}
          />
        ))}
        {shown.length === 0 && (
          <li className="px-3 py-4 text-muted">{t("operators.noMatch.title")}</li>
        )}
      </ul>
    </fieldset>
  );
}

function Choice({
  operator,
  checked,
  onChange,
}: {
  operator: Employee;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <li className="flex items-center gap-2.5 px-3">
      <Checkbox id={id} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <label
        htmlFor={id}
        className="flex min-h-11 min-w-0 flex-1 cursor-pointer flex-wrap items-center gap-x-2.5 py-1.5"
      >
        <span dir="auto" className="min-w-0 wrap-anywhere">
          {fullName(operator)}
        </span>
        <span className="font-mono text-sm break-all text-muted">{operator.operatorUsername}</span>
        {operator.hasPersonalPassword && <Badge>{t("operators.personalPassword")}</Badge>}
      </label>
    </li>
  );
}
