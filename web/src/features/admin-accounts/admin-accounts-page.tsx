import { SearchX } from "lucide-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { PagedTable } from "#/shared/table/paged-table";
import type { Pages } from "#/shared/table/use-pages";
import { useSearchText } from "#/shared/table/use-search-text";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { PageHeader } from "#/shared/ui/page-header";
import { SearchInput } from "#/shared/ui/search-input";
import { useAccountColumns } from "./account-columns";
import { LimitDialog } from "./limit-dialog";
import { PlanDialog } from "./plan-dialog";
import { useAccountPages, type Account } from "./queries";
import { RevealDialog } from "./reveal-dialog";
import { TrialDialog } from "./trial-dialog";

type StaffDialog = "reveal" | "limit" | "trial" | "plan";

export function AdminAccountsPage({
  search,
  onSearch,
}: {
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const pages = useAccountPages(search);
  const [text, type] = useSearchText(search, onSearch);
  const [open, setOpen] = useState<{ dialog: StaffDialog; account: Account } | null>(null);
  const close = () => setOpen(null);
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
          <Shown pages={pages} />
        </div>
        <PagedTable
          label={t("shell.titles.adminAccounts")}
          columns={columns}
          pages={pages}
          failed={t("admin-accounts.loadFailed")}
          restFailed={t("admin-accounts.restFailed")}
          empty={<Nothing searched={Boolean(search?.trim())} onClear={() => onSearch(undefined)} />}
        />
      </div>
      {open?.dialog === "reveal" && <RevealDialog account={open.account} onClose={close} />}
      {open?.dialog === "limit" && <LimitDialog account={open.account} onClose={close} />}
      {open?.dialog === "trial" && <TrialDialog account={open.account} onClose={close} />}
      {open?.dialog === "plan" && <PlanDialog account={open.account} onClose={close} />}
    </>
  );
}

function Shown({ pages: { query, rows } }: { pages: Pages<Account> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const count = rows?.length ?? 0;
  const numbers = { count, shown: format.number(count) };
  return (
    <p role="status" className="min-h-5 text-sm text-muted">
      {count > 0 &&
        (query.hasNextPage
          ? t("admin-accounts.shownSoFar", numbers)
          : t("admin-accounts.shown", numbers))}
    </p>
  );
}

function Nothing({ searched, onClear }: { searched: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  return searched ? (
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
