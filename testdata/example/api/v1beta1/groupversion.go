// Package v1beta1 has the API of batch.
// +groupName=mcad.ibm.com
package v1beta1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupName is the group of this API.
const GroupName = "mcad.ibm.com"

// SchemeGroupVersion is group and version of this API.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1beta1"}

// QuotaResource is where quotas are read from.
var QuotaResource = schema.GroupVersionResource{Group: "ibm.com", Version: "v1", Resource: "quotasubtrees"}
