import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { TaskSetMode, type TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { equipmentTypes, type TypeWord } from "#/domain/equipment-types";
import { plainText } from "#/domain/names";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SearchInput } from "#/shared/ui/search-input";
import { Select } from "#/shared/ui/select";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { GroupFilter } from "../table/group-filter";
import { ApplyDialog } from "./apply-dialog";
import { machinesQuery } from "../table/all-pages";

/** Chooses machines by hand, type or group; then shows what changes. */
export function AssignDialog({ set, onClose }: { set: TaskSet; onClose: () => void }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const errorText = useErrorText();
  const [type, setType] = useState<TypeWord>();
  const [group, setGroup] = useState<string>();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [confirming, setConfirming] = useState(false);
  const query = useQuery(machinesQuery(useTransport(), { type, group }));
  const word = plainText(search.trim());
  const shown = (query.data ?? []).filter(({ name, unitNumber = "" }) =>
    plainText(`${name}\n${unitNumber}`).includes(word),
  );
  const all = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  const choose = (ids: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  if (confirming) {
    return (
      <ApplyDialog
        set={set}
        mode={TaskSetMode.UPDATE}
        equipmentIds={[...chosen]}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("task-sets.assign.title", { name: set.name })}
      description={t("task-sets.assign.text")}
      footer={
        <>
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button
            variant="primary"
            disabledReason={
              chosen.size === 0
                ? t("task-sets.assign.none")
                : chosen.size > maxChosen
                  ? t("task-sets.assign.tooMany", { max: maxChosen })
                  : undefined
            }
            onClick={() => setConfirming(true)}
          >
            {t("task-sets.assign.next", { count: chosen.size })}
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap gap-2 max-sm:flex-col sm:[&>*]:min-w-40 sm:[&>*]:flex-1">
        <Select
          label={t("equipment.columns.type")}
          value={type}
          options={equipmentTypes.map((value) => ({ value, label: labels.type(value) }))}
          all={t("task-sets.assign.allTypes")}
          onChange={setType}
        />
        <GroupFilter value={group} onChange={setGroup} />
        <SearchInput label={t("task-sets.assign.search")} value={search} onChange={setSearch} />
      </div>
      {query.error && (
        <ErrorPanel
          title={t("equipment.overview.failed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.isPending && <SkeletonRows rows={4} label={t("common.loading")} />}
      {query.data && shown.length === 0 && (
        <p className="py-6 text-center text-muted">{t("task-sets.assign.noMatch")}</p>
      )}
      {shown.length > 0 && (
        <div className="mt-3">
          <CheckboxInput
            label={t("task-sets.assign.all", { count: shown.length })}
            checked={all}
            onChange={() =>
              choose(
                shown.map(({ id }) => id),
                !all,
              )
            }
          />
          <ul aria-label={t("task-sets.apply.machines")} className="border-t border-line">
            {shown.map(({ id, name, unitNumber }) => (
              <li key={id}>
                <CheckboxInput
                  label={unitNumber ? `${unitNumber} ${name}` : name}
                  checked={chosen.has(id)}
                  onChange={(event) => choose([id], event.target.checked)}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

/** The server's largest preview. */
const maxChosen = 500;
