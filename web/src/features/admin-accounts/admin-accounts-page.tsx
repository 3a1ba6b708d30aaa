import { SearchX } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { PagedTable } from "#/shared/table/paged-table";
import type { Pages } from "#/shared/table/use-pages";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { PageHeader } from "#/shared/ui/page-header";
import { SearchInput } from "#/shared/ui/search-input";
import { Select } from "#/shared/ui/select";
import { Shown } from "#/shared/ui/shown";
import { useAccountColumns } from "./account-columns";
import { accountStates, type AccountState } from "#/domain/account-states";
import { useStateTexts } from "./account-words";
import { useAccountPages, type Account } from "./queries";
import { StaffDialogs, type StaffDialog } from "./staff-dialogs";

interface AccountFilter {
  search: string | undefined;
  state: AccountState | undefined;
}

export function AdminAccountsPage({
  filter: { search, state },
  onFilter,
}: {
  filter: AccountFilter;
  /** Merges these values into the filter. */
  onFilter: (change: Partial<AccountFilter>) => void;
}) {
  const { t } = useTranslation();
  const pages = useAccountPages(search, state);
  const { query, rows, more } = pages;
  const searching = rows?.length === 0 && query.hasNextPage && !query.isPlaceholderData;
  useEffect(() => {
    if (searching) more();
  }, [searching, more]);
  const texts = useStateTexts();
  const onSearch = useCallback(
    (next: string | undefined) => onFilter({ search: next }),
    [onFilter],
  );
  const filtered = Boolean(search?.trim() || state);
  const clear = () => onFilter({ search: undefined, state: undefined });
  const [text, type] = useSearchText(search, onSearch);
  const [open, setOpen] = useState<{ dialog: StaffDialog; account: Account } | null>(null);
  const columns = useAccountColumns({
    onReveal: useCallback((account) => setOpen({ dialog: "reveal", account }), []),
    onLimit: useCallback((account) => setOpen({ dialog: "limit", account }), []),
    onTrial: useCallback((account) => setOpen({ dialog: "trial", account }), []),
    onPlan: useCallback((account) => setOpen({ dialog: "plan", account }), []),
  });
  return (
    <>
      <PageHeader
        title={t("shell.titles.adminAccounts")}
        description={t("admin-accounts.subtitle")}
      />
      <div className="space-y-3">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div
            role="search"
            aria-label={t("admin-accounts.searchLabel")}
            className="w-full md:w-96"
          >
            <SearchInput label={t("admin-accounts.search")} value={text} onChange={type} />
          </div>
          <div className="w-full md:w-52">
            <Select
              label={t("admin-accounts.state.label")}
              all={t("admin-accounts.state.all")}
              value={state}
              options={accountStates.map((value) => ({ value, label: texts[value] }))}
              onChange={(next) => onFilter({ state: next })}
            />
          </div>
          <Count pages={pages} onClear={filtered && clear} />
        </div>
        <PagedTable
          label={t("shell.titles.adminAccounts")}
          columns={columns}
          pages={pages}
          failed={t("admin-accounts.loadFailed")}
          restFailed={t("admin-accounts.restFailed")}
          empty={!searching && <Nothing filtered={filtered} onClear={clear} />}
        />
      </div>
      {open && (
        <StaffDialogs dialog={open.dialog} account={open.account} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

function Count({
  pages: { query, rows },
  onClear,
}: {
  pages: Pages<Account>;
  onClear: (() => void) | false;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = rows?.length ?? 0;
  const numbers = { count, shown: format.number(count) };
  return (
    <p className="text-sm">
      <Shown onClear={count > 0 && onClear}>
        {count > 0 &&
          (query.hasNextPage
            ? t("admin-accounts.shownSoFar", numbers)
            : t("admin-accounts.shown", numbers))}
      </Shown>
    </p>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  return filtered ? (
    <Empty
      icon={<SearchX aria-hidden />}
      title={t("admin-accounts.noMatch.title")}
      description={t("admin-accounts.noMatch.text")}
      action={<Button onClick={onClear}>{t("admin-accounts.noMatch.clear")}</Button>}
    />
  ) : (
    <Empty
      drawing="people"
      title={t("admin-accounts.empty.title")}
      description={t("admin-accounts.empty.text")}
    />
  );
}
