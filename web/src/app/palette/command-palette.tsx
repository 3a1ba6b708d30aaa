import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useErrorText } from "#/api/error-text";
import type { User } from "#/session/session";
import { useSearchText } from "#/shared/table/use-search-text";
import { Dialog } from "#/shared/ui/dialog";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SearchList } from "#/shared/ui/search-list";
import type { MachineEntry } from "../quick-add-kinds";
import { usePaletteGroups } from "./use-palette-groups";

/** Finds machines, people, pages and actions by a few letters. */
export function CommandPalette({
  user,
  onEntry,
  onKeys,
  onClose,
}: {
  user: User;
  /** Records something, for this machine or for one to be chosen. */
  onEntry: (entry: MachineEntry, machine: Equipment | null) => void;
  onKeys: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [typed, setTyped] = useState<string>();
  const [text, type] = useSearchText(typed, setTyped);
  const search = (typed ?? "").trim();
  const { groups, query, settled } = usePaletteGroups(user, search, {
    close: onClose,
    onEntry,
    onKeys,
  });
  const count = groups.reduce((sum, { options }) => sum + options.length, 0);
  return (
    <Dialog open onOpenChange={onClose} title={t("commands.search.title")}>
      <SearchList
        label={t("commands.search.label")}
        value={text}
        onChange={type}
        groups={groups}
        settled={settled && text === (typed ?? "")}
        status={search && !query.isFetching ? t("commands.search.results", { count }) : ""}
      >
        {query.error && (
          <ErrorPanel
            title={t("commands.picker.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        )}
        {count === 0 && query.isSuccess && !query.isFetching && (
          <Empty
            title={t("commands.search.none", { search })}
            description={t("commands.search.noneText")}
          />
        )}
      </SearchList>
    </Dialog>
  );
}
