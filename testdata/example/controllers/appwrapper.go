package controllers

import "fmt"

// podLabel is on every pod that the controller makes.
const podLabel = "appwrapper.mcad.ibm.com"

// +kubebuilder:rbac:groups=mcad.ibm.com,resources=appwrappers;appwrappers/status,verbs=get;list;watch;update

// sample is what the tests submit.
const sample = `{
  "apiVersion": "mcad.ibm.com/v1beta1",
  "kind": "AppWrapper",
  "metadata": {"name": "sample", "labels": {"appwrapper.mcad.ibm.com": "sample"}}
}`

func url(namespace string) string {
	return fmt.Sprintf("/apis/mcad.ibm.com/v1beta1/namespaces/%s/appwrappers", namespace)
}
