"""Submits batches."""


def submit(api, namespace, name):
    body = {
        "apiVersion": "mcad.ibm.com/v1beta1",
        "kind": "AppWrapper",
        "metadata": {"name": name, "labels": {"appwrapper.mcad.ibm.com": name}},
    }
    return api.create_namespaced_custom_object(
        group="mcad.ibm.com",
        version="v1beta1",
        namespace=namespace,
        plural="appwrappers",
        body=body,
    )
