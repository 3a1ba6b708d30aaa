import { Tractor } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useSearchText } from "#/shared/table/use-search-text";
import { Dialog } from "#/shared/ui/dialog";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SearchList } from "#/shared/ui/search-list";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useMachineOption } from "./machine-option";
import { rememberMachine } from "./recent-machines";
import { useMachineSearch } from "./use-machine-search";

export function MachinePicker({
  title,
  withMeter = false,
  onChoose,
  onClose,
}: {
  title: string;
  /** Leaves out machines without a meter. */
  withMeter?: boolean;
  onChoose: (machine: Equipment) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const option = useMachineOption();
  const [search, setSearch] = useState<string>();
  const [text, type] = useSearchText(search, setSearch);
  const { recent, others, query, matching, settled } = useMachineSearch(search ?? "", withMeter);
  // The server's number includes machines without a meter.
  const matches = t("commands.picker.matches", { count: withMeter ? others.length : matching });
  const options = (machines: readonly Equipment[]) =>
    machines.map((machine) =>
      option(machine, () => {
        rememberMachine(machine.id);
        onChoose(machine);
      }),
    );
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <SearchList
        label={t("commands.picker.search")}
        value={text}
        onChange={type}
        settled={settled && text === (search ?? "")}
        status={search && query.isSuccess ? matches : ""}
        groups={[
          { key: "recent", title: t("commands.picker.recent"), options: options(recent) },
          {
            key: "machines",
            title: search ? matches : t("commands.picker.urgent"),
            options: options(others),
          },
        ]}
      >
        {query.isPending && <SkeletonRows rows={5} label={t("common.loading")} />}
        {query.error && (
          <ErrorPanel
            title={t("commands.picker.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        )}
        {query.isSuccess && recent.length + others.length === 0 && (
          <Empty
            icon={<Tractor aria-hidden />}
            title={
              search
                ? t("commands.picker.none", { search: search.trim() })
                : t("commands.picker.empty")
            }
            description={search ? t("commands.picker.noneText") : undefined}
          />
        )}
      </SearchList>
    </Dialog>
  );
}
