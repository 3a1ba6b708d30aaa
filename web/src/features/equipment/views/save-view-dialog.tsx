import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { key } from "#/i18n/key";
import { TextField } from "#/shared/form/fields/text-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { useListPrefs } from "../table/list-prefs";

const schema = v.object({
  name: v.pipe(v.string(), v.trim(), v.nonEmpty(key("equipment-list.views.nameRequired"))),
});

/** Saves filter, order and columns under a name; the same name replaces a view. */
export function SaveViewDialog({
  filter,
  onClose,
}: {
  filter: EquipmentFilter;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { views, columns, change } = useListPrefs();
  const form = useAppForm(schema, { name: "" });
  const save = ({ name }: { name: string }) => {
    const search = { ...filter, columns: filter.columns ?? columns };
    change({ views: [...views.filter((view) => view.name !== name), { name, search }] });
    toast.success(t("equipment-list.views.saved"), t("equipment-list.views.savedText", { name }));
    onClose();
    void navigate({ to: "/equipment-list", search, replace: true });
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-list.views.saveTitle")}
      description={t("equipment-list.views.saveText")}
      onSubmit={form.handleSubmit(save)}
      loading={false}
      submitError={null}
      submitLabel={t("equipment-list.views.submit")}
      pendingLabel={t("equipment-list.views.submit")}
    >
      <TextField
        control={form.control}
        name="name"
        label={t("equipment-list.views.name")}
        maxLength={40}
      />
    </FormDialog>
  );
}
