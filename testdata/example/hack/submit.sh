#!/usr/bin/env bash
set -euo pipefail
kubectl apply -f - <<YAML
apiVersion: mcad.ibm.com/v1beta1
kind: AppWrapper
metadata:
  name: ${1:?name}
  labels: {appwrapper.mcad.ibm.com: $1}
YAML
helm upgrade --install batch charts/batch --set quota.rbac.apiGroup=ibm.com
